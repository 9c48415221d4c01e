// A key as people paste it, and as servers repeat it. The Python package has the same rules in adapters/keys.py and
// adapters/hiding.py.

/** So many characters in a row are shown nowhere; a shorter key is a word such as "x" where none is needed. */
const PIECE = 6
/** Longer words that manuals of local servers give as a key; they hide no advice. */
const NO_SECRETS = new Set([
  'api-key',
  'api_key',
  'apikey',
  'llama.cpp',
  'lm-studio',
  'lm_studio',
  'lmstudio',
  'localhost',
  'no-key',
  'no-key-needed',
  'no-key-required',
  'no_key',
  'not-needed',
  'not_needed',
  'not-required',
  'not-used',
  'ollama',
  'placeholder',
  'sk-no-key-required',
  'unused',
])
const AROUND = /^[\s\u200b\ufeff]+|[\s\u200b\ufeff]+$/g
const QUOTES = /^["'`\u201c\u201d\u2018\u2019\u00ab\u00bb]+|["'`\u201c\u201d\u2018\u2019\u00ab\u00bb]+[,;]?$/g
const IN_FRONT =
  /^(?:(?:export\s+|set\s+|\$env:)?[a-z][a-z0-9_]*(?:key|token)\s*=(?!=)|authorization\s*:|bearer(?=\s|$))/i

/** The key without the spaces, quotes, "Bearer " and `export NAME=` that come along when it is pasted. */
export function cleanKey(typed: string): string {
  let text = typed
  for (let before: string | null = null; text !== before; ) {
    before = text
    text = text.replace(AROUND, '').replace(QUOTES, '').replace(IN_FRONT, '')
  }
  return text
}

/** The text with *** for each six characters in a row of the key, in each form in which a server may repeat it. */
export function hidden(text: string, key: string): string {
  if (key.length < PIECE || NO_SECRETS.has(key.toLowerCase())) return text
  const pieces = new Set<string>()
  for (const form of forms(key)) {
    for (let at = 0; at + PIECE <= form.length; at++) pieces.add(small(form.slice(at, at + PIECE)))
  }
  let shown = ''
  let rest = 0
  for (let at = 0; at + PIECE <= text.length; at++) {
    if (!pieces.has(small(text.slice(at, at + PIECE)))) continue
    if (at > rest || !shown) shown += text.slice(rest, at) + '***'
    rest = at + PIECE
  }
  return shown + text.slice(rest)
}

/** In small letters, none of which is longer than the one it was. */
function small(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function forms(key: string): string[] {
  const hex = [...key].map((sign) => sign.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  const found = [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1), hex]
  // What stands before it in what was encoded shifts it by none, one or two bytes.
  for (const [shift, unsure] of [
    [0, 0],
    [1, 2],
    [2, 3],
  ] as const) {
    const encoded = btoa('\0'.repeat(shift) + key).replace(/=+$/, '')
    const sure = encoded.slice(unsure, -1)
    found.push(sure, sure.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return found
}
