import { render } from 'preact'
import '../../mingraph_lite/views/tokens.css'
import '../../mingraph_lite/views/folder_and_card.css'
import '../../mingraph_lite/views/question_card.css'
import { hasRoomForTwo } from './machine'
import { makePage, PageProvider } from './page'
import { App } from './parts/App'
import { followTheme } from './theme'

performance.mark('page-open')
const page = makePage({
  base: new URL(PYTHON_FOLDER, document.baseURI).href,
  makeWorker: () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'python' }),
  hasRoom: () => hasRoomForTwo(navigator),
  fetch: (...args) => fetch(...args),
  storage: () => localStorage,
})
page.load()
followTheme()
const place = document.getElementById('page')!
place.replaceChildren()
render(
  <PageProvider value={page}>
    <App />
  </PageProvider>,
  place,
)
