import { Header } from './Header'
import { Left } from './Left'
import { Right } from './Right'
import { Trouble } from './Trouble'

export function App() {
  return (
    <>
      <Header />
      <main>
        <Trouble />
        <Left />
        <Right />
      </main>
    </>
  )
}
