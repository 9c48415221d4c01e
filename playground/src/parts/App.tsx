import { Header } from './Header'
import { Left } from './Left'
import { Right } from './Right'

export function App() {
  return (
    <>
      <Header />
      <main>
        <Left />
        <Right />
      </main>
    </>
  )
}
