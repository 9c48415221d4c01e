// Drives Firefox: node firefox.mjs FIREFOX PROFILE. Reads one command a line, answers one line each, both JSON:
// {"do": "open", "with": ["http://…"]} -> {"value": …} or {"error": "…"}. Ends with its input, and Firefox with it.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const puppeteer = createRequire(new URL('../../playground/package.json', import.meta.url))('puppeteer-core')
const [executablePath, userDataDir] = process.argv.slice(2)
const browser = await puppeteer.launch({ browser: 'firefox', executablePath, userDataDir, headless: true })
const page = await browser.newPage()

const commands = {
  open: async (address) => void (await page.goto(address)),
  evaluate: (expression) => page.evaluate(expression),
  click: (x, y) => page.mouse.click(x, y),
  type: (text) => page.keyboard.type(text),
  async selectAll() {
    await page.keyboard.down('Control')
    await page.keyboard.press('a')
    await page.keyboard.up('Control')
  },
  resize: (width, height) => page.setViewport({ width, height }),
  async picture(path) {
    await page.screenshot({ path })
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { do: name, with: values } = JSON.parse(line)
  const answer = await commands[name](...values).then(
    (value) => ({ value: value ?? null }),
    (error) => ({ error: String(error.stack ?? error) }),
  )
  console.log(JSON.stringify(answer))
}
await browser.close()
