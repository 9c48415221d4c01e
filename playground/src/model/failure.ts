// What can come of a request instead of its answer, and how that is told. The dialog, a run and "Why?" share these
// words, so that one thing that failed has one name.

export type Failure =
  /** The browser says no more than that. */
  | { kind: 'unreachable' }
  /** Nothing came for so long. */
  | { kind: 'silent'; seconds: number }
  /** An answer began and broke off; after so many silent seconds, where it was the page that hung up. */
  | { kind: 'cut'; seconds: number | null }
  | { kind: 'redirected' }
  | { kind: 'status'; status: number; said: string }
  /** A web page, where JSON was asked for. */
  | { kind: 'html'; said: string }
  /** An error that travels with status 200. */
  | { kind: 'error'; said: string }
  | { kind: 'no list'; said: string }
  /** The page would not send it. */
  | { kind: 'not sent'; why: string }
  /** The page itself is at fault. */
  | { kind: 'bug'; what: string }

export class NotSent extends Error {}
export class Unreachable extends Error {}
export class Redirected extends Error {}
export class Cut extends Error {}

/** What an error of the keeper's means. Whatever is none of its own is a fault of this page, and told as one. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Unreachable) return { kind: 'unreachable' }
  if (error instanceof Redirected) return { kind: 'redirected' }
  if (error instanceof Cut) return { kind: 'cut', seconds: null }
  if (error instanceof NotSent) return { kind: 'not sent', why: error.message }
  return { kind: 'bug', what: String(error) }
}

/** Whether another try is of no use, or could be a second answer to pay for. */
export function isFinal(failure: Failure): boolean {
  return ['silent', 'redirected', 'not sent', 'bug'].includes(failure.kind)
}

/** In a sentence or two; `address` is whom the page asked. */
export function inWords(failure: Failure, address: string): string {
  const quoted = 'said' in failure && failure.said ? ` It says: "${failure.said}"` : ''
  switch (failure.kind) {
    case 'unreachable':
      return `No answer from ${address}.`
    case 'silent':
      return `${address} sent nothing for ${inSeconds(failure.seconds)}.`
    case 'cut':
      return failure.seconds === null
        ? `${address} began a reply, and then the connection broke.`
        : `${address} began a reply and then sent nothing for ${inSeconds(failure.seconds)}.`
    case 'redirected':
      return `${address} redirects to another address. The page does not follow, since the key belongs to this one.`
    case 'status':
      return `${address} answered ${failure.status}.${quoted}`
    case 'html':
      return `${address} answered with a web page, not as a model's server does.${quoted}`
    case 'error':
      return `${address} answered with an error.${quoted}`
    case 'no list':
      return `${address} answered, but with no list of models.${quoted}`
    case 'not sent':
      return failure.why
    case 'bug':
      return `This page failed, not the server: ${failure.what}`
  }
}

const inSeconds = (seconds: number) => (seconds === 1 ? '1 second' : `${seconds} seconds`)

/** A message of a server's is shown up to here. */
const LONGEST = 240

/** What a server says in the body of an error: its own message, where it sent one in a shape that is known. */
export function saidBy(body: string): string {
  return shortened(messageIn(parsed(body)) ?? (isHtml(body) ? titleOf(body) : body))
}

export function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  // By whole characters: half of one is shown as a question mark.
  const signs = [...line]
  return signs.length > LONGEST ? `${signs.slice(0, LONGEST).join('')}…` : line
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

export const isHtml = (text: string) => /^\s*(?:<!doctype html|<html|<head|<body|<title|<!--)/i.test(text)

function titleOf(page: string): string {
  return /<title[^>]*>([^<]*)/i.exec(page)?.[1] ?? ''
}

/** The message in an error as servers send them: `{error: {message}}`, `{error}`, `{message}`, `{detail: [{msg}]}`. */
export function messageIn(body: unknown): string | null {
  if (typeof body === 'string') return body
  if (Array.isArray(body)) return body.length ? messageIn(body[0]) : null
  if (typeof body !== 'object' || body === null) return null
  const known = body as Record<string, unknown>
  for (const name of ['error', 'errors', 'message', 'detail', 'msg', 'error_message']) {
    const found = known[name] ? messageIn(known[name]) : null
    if (found) return found
  }
  return null
}
