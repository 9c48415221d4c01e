import { describe, expect, it } from 'vitest'
import { readList } from './listed'

const read = (body: unknown, status = 200) => readList(status, typeof body === 'string' ? body : JSON.stringify(body))

describe('a list of models', () => {
  it.each<[string, unknown, string[]]>([
    ["OpenAI's", { object: 'list', data: [{ id: 'a', object: 'model' }, { id: 'b' }] }, ['a', 'b']],
    ["Ollama's", { models: [{ name: 'tiny:latest', model: 'tiny:latest' }] }, ['tiny:latest']],
    ["Google's", { models: [{ name: 'models/gem', displayName: 'Gem' }] }, ['models/gem']],
    ['llama.cpp, with both', { models: [{ name: 'x' }], data: [{ id: 'y' }] }, ['y']],
    ['a plain list', ['a', 'b'], ['a', 'b']],
    ['a plain list of objects', [{ id: 'a' }, { name: 'b' }], ['a', 'b']],
    ['a list in a list', { data: { models: [{ model: 'a' }] } }, ['a']],
    ['one with duplicates', { data: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] }, ['a', 'b']],
    ['one with holes', { data: [null, {}, { id: 7 }, { id: '' }, { id: ' a ' }] }, ['a']],
    ['an empty one', { object: 'list', data: [] }, []],
    ['Ollama without a model', { object: 'list', data: null }, []],
    [
      'one of several hundreds',
      { data: Array.from({ length: 400 }, (_, n) => ({ id: `m${n}` })) },
      [...Array.from({ length: 400 }, (_, n) => `m${n}`)],
    ],
  ])('%s', (_, body, chat) => {
    expect(read(body)).toEqual({ kind: 'listed', chat, others: [] })
  })

  it('has what is not made for a chat apart, by what the server says or by the name', () => {
    const data = [
      { id: 'nomic-embed-text' },
      { id: 'talks' },
      { id: 'draws-image-2' },
      { id: 'whisper-1' },
      { id: 'tts-1-hd' },
      { id: 'draw', type: 'image' },
      { id: 'embed-talks', capabilities: { completion_chat: true } },
      { id: 'plain', capabilities: { completion_chat: false } },
      { id: 'BAAI/bge-m3' },
      { id: 'attsville' },
    ]
    expect(read({ data })).toEqual({
      kind: 'listed',
      chat: ['talks', 'embed-talks', 'attsville'],
      others: ['nomic-embed-text', 'draws-image-2', 'whisper-1', 'tts-1-hd', 'draw', 'plain', 'BAAI/bge-m3'],
    })
  })
})

describe('what is no list', () => {
  it.each<[unknown, object]>([
    ['<!doctype html><title>My router</title>', { kind: 'html', said: 'My router' }],
    ['hello', { kind: 'no list', said: 'hello' }],
    ['', { kind: 'no list', said: '' }],
    [{ ok: true }, { kind: 'no list', said: '{"ok":true}' }],
    [{ data: [{ size: 1 }] }, { kind: 'no list', said: '{"data":[{"size":1}]}' }],
    ['7', { kind: 'no list', said: '7' }],
    ['null', { kind: 'no list', said: 'null' }],
    [{ error: { message: 'Out of memory.' } }, { kind: 'error', said: 'Out of memory.' }],
    [[{ error: { message: 'Wrong key.' } }], { kind: 'error', said: 'Wrong key.' }],
  ])('%j', (body, failure) => {
    expect(read(body)).toEqual(failure)
  })

  it('is an error where the status says so, whatever stands in it', () => {
    expect(read({ data: [{ id: 'a' }], error: 'No.' }, 403)).toEqual({ kind: 'status', status: 403, said: 'No.' })
  })
})
