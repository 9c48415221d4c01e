import { render } from 'preact'
import '../../mingraph_lite/views/tokens.css'
import '../../mingraph_lite/views/folder_and_card.css'
import { App } from './parts/App'
import { load } from './state'
import { followTheme } from './theme'

performance.mark('page-open')
followTheme()
const place = document.getElementById('page')!
place.replaceChildren()
render(<App />, place)
load()
