import { Ask } from './Ask'
import { Header } from './Header'
import { RunData } from './RunData'
import { RunSetup } from './RunSetup'
import { RunView } from './RunView'

/**
 * The desk comes first, for the keyboard and on a phone; what the run is made of, and what it left behind, follow. Where
 * there is room, what it is made of stands to its left.
 */
export function App() {
  return (
    <>
      <Header />
      <main class="pg-sides">
        <RunView />
        <div class="pg-made">
          <Ask />
          <RunSetup />
        </div>
        <RunData />
      </main>
    </>
  )
}
