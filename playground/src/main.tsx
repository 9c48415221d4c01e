import { render } from 'preact'
import '../../mingraph_lite/views/tokens.css'
import '../../mingraph_lite/views/folder_and_card.css'
import '../../mingraph_lite/views/question_card.css'
import './look/header.css'
import './look/brief.css'
import './look/ask.css'
import './look/help.css'
import { LookProvider } from './look/look'
import { makeSize } from './look/size'
import { makeTheme } from './look/theme'
import { makePage, PageProvider } from './page'
import { App } from './parts/App'
import { hasRoomForTwo } from './python/machine'
import workerUrl from './python/worker.ts?worker&url'

performance.mark('page-open')
const page = makePage({
  base: new URL(PYTHON_FOLDER, document.baseURI).href,
  workerUrl,
  makeWorker: () => new Worker(workerUrl, { type: 'module', name: 'python' }),
  hasRoom: () => hasRoomForTwo(navigator),
  fetch: (...args) => fetch(...args),
  storage: () => localStorage,
})
page.load()
const root = document.documentElement
const look = {
  theme: makeTheme(window.matchMedia('(prefers-color-scheme: dark)'), root, () => sessionStorage),
  size: makeSize(location.search, root, () => sessionStorage),
}
const place = document.getElementById('page')!
place.replaceChildren()
render(
  <PageProvider value={page}>
    <LookProvider value={look}>
      <App />
    </LookProvider>
  </PageProvider>,
  place,
)
