// Archives with compiled code in them, for what the page imports. Pyodide's own Python imports and compiles it, here
// in Node: a .pyc holds for one version of Python only. A program of its own, since Pyodide keeps Node from ending:
//
//     node compiled.mjs FOLDER STANDARD_LIBRARY WHEEL...
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadPyodide } from 'pyodide'

// Opening the page imports the first part, a first run and a first model the others.
const IMPORTED = `
import glue
glue.describe()

import mingraph_lite.adapters.openai_chat, mingraph_lite.adapters.transports
from mingraph_lite.lab import faults
for scenario in faults.ALL_SCENARIOS.values():
    scenario.registry(), scenario.llm()

from typing import Annotated, Literal
import pydantic
pydantic.TypeAdapter(Annotated[Literal["a"] | list[int], pydantic.Field(description="")]).json_schema()
`
// An error thrown in here would show a megabyte of Pyodide's code before what it says.
process.on('uncaughtException', (error) => {
  console.error(error.message)
  process.exit(1)
})

const scripts = dirname(fileURLToPath(import.meta.url))
const [folder, standardLibrary, ...wheels] = process.argv.slice(2)

// With a seed of its own each build would write the constants of a set in another order.
const python = await loadPyodide({ env: { PYTHONHASHSEED: '0', PYTHONDONTWRITEBYTECODE: '1' } })

function putInto(inside, files) {
  python.FS.mkdirTree(inside)
  return files.map((file) => {
    const path = `${inside}/${basename(file)}`
    python.FS.writeFile(path, readFileSync(file))
    return path
  })
}

const extractDir = python.runPython("import sysconfig; sysconfig.get_path('purelib')")
for (const wheel of wheels) python.unpackArchive(new Uint8Array(readFileSync(wheel)), 'wheel', { extractDir })
python.registerJsModule('page', {})
const [glue] = putInto('/glue', [join(scripts, '..', 'src', 'python', 'glue.py')])
python.runPython(`import sys; sys.path.append('${dirname(glue)}')`)
python.runPython(IMPORTED)

const inside = putInto('/archives', wheels)
const [zip] = putInto('/archives', [standardLibrary])
python.FS.mkdirTree('/made')
python.mountNodeFS('/made', folder)
putInto('/compiling', [join(scripts, 'compile_archives.py')])
python.runPython("import sys; sys.path.append('/compiling')")
python.pyimport('compile_archives').compile_all(python.toPy(inside), zip, '/made')
process.exit(0)
