// Why a model cannot be reached. A browser tells a page only "Failed to fetch", whatever the cause, so this is a list
// of likely causes for this page's origin and that address, the likeliest first.
import { endpoint, isLocal, keyHeader } from './address'

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
  causes.push({
    cause: `Nothing answers at ${model.host}: the server is not running, or its port is another.`,
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
  if (!/\/v\d/.test(model.pathname)) {
    causes.push({
      cause: 'The address has no version in it.',
      fix: `Most servers want ${endpoint(base.replace(/\/$/, ''), '/v1')}.`,
    })
  }
  return causes
}

/** Likely causes when the server answered, with an error. */
export function refused(status: number, base: string): Cause[] {
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
  if (status === 404) {
    const inVersion = /\/v\d/.test(new URL(base).pathname)
    return [
      inVersion
        ? {
            cause: 'The address or the name of the model is not known there.',
            fix: 'Check the name of the model, letter by letter.',
          }
        : { cause: 'There is nothing at this address.', fix: `Try ${endpoint(base, '/v1')}.` },
    ]
  }
  if (status === 402) return [{ cause: 'There is no credit left.', fix: 'Look at the account, or use another model.' }]
  if (status === 429)
    return [{ cause: 'Too many requests, or no credit left.', fix: 'Wait a minute, or look at the account.' }]
  if (status >= 500)
    return [
      { cause: 'The server failed.', fix: 'Read its log; a model that is too large for the machine looks like this.' },
    ]
  return [
    {
      cause: 'The server did not accept the request.',
      fix: 'A run that ends says on its card what the server answered. If that is about tools, try the other kind (native or JSON).',
    },
  ]
}
