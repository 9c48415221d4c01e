// Why a model cannot be reached. A browser tells a page only "Failed to fetch", whatever the cause, so this is a list
// of likely causes for this page's origin and that address, the likeliest first.
import { endpoint, isAtHome, isLocal, keyHeader } from './address'
import type { Failure } from './failure'

export interface Cause {
  cause: string
  fix: string
  command?: string
}

interface Server {
  name: string
  start: string
  allow: (origin: string) => Omit<Cause, 'cause'>
}

const OLLAMA: Server = {
  name: 'Ollama',
  start: 'ollama serve',
  allow: (origin) => ({
    fix: 'Stop Ollama, then start it with this origin allowed. (As an app or a service it reads OLLAMA_ORIGINS from its own settings.)',
    command: `OLLAMA_ORIGINS="${origin}" ollama serve`,
  }),
}
const LM_STUDIO: Server = {
  name: 'LM Studio',
  start: 'lms server start --cors',
  allow: () => ({
    fix: 'In the server tab, switch on "Enable CORS", or start it with:',
    command: 'lms server start --cors',
  }),
}
const LLAMA_CPP: Server = {
  name: 'llama.cpp',
  start: 'llama-server -m model.gguf --port 8080',
  allow: () => ({
    fix: 'llama-server allows every origin; an older one refuses when it has --api-key. Update it, or leave the key out.',
  }),
}
const VLLM: Server = {
  name: 'vLLM',
  start: 'vllm serve MODEL --port 8000',
  allow: (origin) => ({
    fix: 'Start it with this origin allowed:',
    command: `vllm serve MODEL --allowed-origins '["${origin}"]'`,
  }),
}
const BY_PORT: Record<string, Server> = { '11434': OLLAMA, '1234': LM_STUDIO, '8080': LLAMA_CPP, '8000': VLLM }

/** Why a browser will not let this page call that address, or null if it will: known before the first request. */
export function mixedContent(pageAddress: string, base: string): Cause | null {
  const model = new URL(base)
  if (new URL(pageAddress).protocol !== 'https:' || model.protocol !== 'http:' || isLocal(model.hostname)) return null
  return {
    cause: 'This page came over https, the model speaks http: browsers block that.',
    fix: 'Use a model on this machine (localhost), give the model an https address, or run this page on your own machine.',
    command: 'python3 start.py playground',
  }
}

/** What the page was after: the list of models, or a reply. */
export type Wanted = 'models' | 'chat'

/** Likely causes of a failure, each with what to do. */
export function causesOf(failure: Failure, pageAddress: string, base: string, wanted: Wanted): Cause[] {
  switch (failure.kind) {
    case 'unreachable':
      return unreachable(pageAddress, base)
    case 'silent':
      return silent(pageAddress, base)
    case 'status':
      return refused(failure.status, base, wanted)
    case 'cut':
      return [{ cause: 'The server stopped in the middle.', fix: 'Read its log, and try again.' }]
    case 'redirected':
    case 'html':
    case 'no list':
      return [elsewhere(base)]
    default:
      return []
  }
}

/** The same server at another address that is likely to be the right one: a change of the address, and of no more. */
export function alternatives(failure: Failure, pageAddress: string, base: string): string[] {
  const { protocol, hostname } = new URL(base)
  const noAnswer = failure.kind === 'unreachable' || failure.kind === 'silent'
  const elsewhere = failure.kind === 'status' ? failure.status === 404 : !('why' in failure || 'what' in failure)
  const found: string[] = []
  const plain = base.replace(/^https:/, 'http:')
  const near = isLocal(hostname) || (isAtHome(hostname) && !mixedContent(pageAddress, plain))
  if (noAnswer && protocol === 'https:' && near) found.push(plain)
  if (elsewhere && !hasVersion(base)) found.push(withVersion(found[0] ?? base))
  return found
}

const hasVersion = (base: string) => /\/v\d/.test(new URL(base).pathname)
const withVersion = (base: string) => endpoint(base.replace(/\/(?=\?|$)/, ''), '/v1')

function elsewhere(base: string): Cause {
  return {
    cause: 'Something else answers at this address, or its API stands under another path.',
    fix: hasVersion(base) ? 'Compare host, port and path.' : `Most servers want ${withVersion(base)}.`,
  }
}

function silent(pageAddress: string, base: string): Cause[] {
  const here = isLocal(new URL(base).hostname)
  const causes: Cause[] = [
    { cause: 'The server is busy, or still loads a model.', fix: 'Look at its log, wait, and try again.' },
  ]
  if (here && !isLocal(new URL(pageAddress).hostname)) {
    causes.push({
      cause: 'The browser waits for a permission.',
      fix: 'Allow "local network" when it asks (the icon left of the address).',
    })
  }
  if (!here)
    causes.push({ cause: 'Nothing is at this host, or a firewall keeps silent.', fix: 'Compare host and port.' })
  return causes
}

/** Likely causes when no answer came at all. */
export function unreachable(pageAddress: string, base: string): Cause[] {
  const page = new URL(pageAddress)
  const model = new URL(base)
  const server = BY_PORT[model.port]
  const near = isLocal(model.hostname)
  const causes: Cause[] = []

  const blocked = mixedContent(pageAddress, base)
  if (blocked) causes.push(blocked)
  if (model.hostname === 'api.anthropic.com') {
    causes.push({
      cause: 'This service refuses requests from web pages.',
      fix: 'Use a local model, or a gateway that allows web pages.',
    })
  }
  const header = keyHeader(base)
  if (header) {
    causes.push({
      cause: `This service wants the key in the header ${header}, which a browser sends only where the service allows it.`,
      fix: 'Put a gateway that allows web pages before it, or use it in a notebook.',
    })
  }
  if (near && model.protocol === 'https:') {
    causes.push({
      cause: 'The address says https; a server on your own machine mostly speaks http.',
      fix: `Use ${base.replace('https:', 'http:')}.`,
    })
  }
  causes.push({
    cause: `Nothing answers at ${model.host}: the server is not running, or its name or port is another.`,
    fix: server ? `Start ${server.name}:` : 'Start it, and compare host and port.',
    ...(server ? { command: server.start } : {}),
  })
  // Ollama's own list of origins holds this machine's names, so a page from here needs no setting.
  if (!(server === OLLAMA && isLocal(page.hostname))) {
    causes.push({
      cause: `The server does not allow pages from ${page.origin} (CORS).`,
      ...(server
        ? server.allow(page.origin)
        : { fix: `Add ${page.origin} to the origins it allows, with the headers Authorization and Content-Type.` }),
    })
  }
  if (near && !isLocal(page.hostname)) {
    causes.push({
      cause: 'The browser kept a public page away from your own machine.',
      fix: 'Allow "local network" when it asks (the icon left of the address); Safari never allows it. Sure to work: run this page on your own machine.',
      command: 'python3 start.py playground',
    })
  }
  if (!hasVersion(base)) {
    causes.push({ cause: 'The address has no version in it.', fix: `Most servers want ${withVersion(base)}.` })
  }
  return causes
}

/** Likely causes when the server answered, with an error. */
export function refused(status: number, base: string, wanted: Wanted): Cause[] {
  if (status === 401)
    return [{ cause: 'The key is missing or not valid.', fix: 'Type the key again. It belongs to this address only.' }]
  if (status === 403) {
    return [
      {
        cause: 'The key may not use this model, or the server does not allow this page.',
        fix: 'Check the key, then the origins that the server allows.',
      },
    ]
  }
  if (status === 404) return [notThere(base, wanted)]
  if (status === 402) return [{ cause: 'There is no credit left.', fix: 'Look at the account, or use another model.' }]
  if (status === 429)
    return [{ cause: 'Too many requests, or no credit left.', fix: 'Wait a minute, or look at the account.' }]
  if (status >= 500)
    return [
      { cause: 'The server failed.', fix: 'Read its log; a model that is too large for the machine looks like this.' },
    ]
  if (wanted === 'models')
    return [
      {
        cause: 'The server did not accept the request for its list of models.',
        fix: 'If it has none, type the name of a model and connect anyway.',
      },
    ]
  return [
    {
      cause: 'The server did not accept the request.',
      fix: 'A run that ends says on its card what the server answered. If that is about tools, try the other kind (native or JSON).',
    },
  ]
}

function notThere(base: string, wanted: Wanted): Cause {
  if (!hasVersion(base)) return { cause: 'There is nothing at this address.', fix: `Try ${withVersion(base)}.` }
  if (wanted === 'models') {
    return {
      cause: 'There is no list of models at this address.',
      fix: 'Compare the address. If it is right, type the name of a model and connect anyway.',
    }
  }
  return {
    cause: 'The address or the name of the model is not known there.',
    fix: 'Check the name of the model, letter by letter.',
  }
}
