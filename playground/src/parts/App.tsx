import { Header } from './Header'
import { RunSetup } from './RunSetup'
import { RunView } from './RunView'
import { Trouble } from './Trouble'

export function App() {
  return (
    <>
      <Header />
      <main class="pg-sides">
        <Trouble />
        <RunSetup />
        <RunView />
      </main>
    </>
  )
}
