import { describe, expect, it } from 'vitest'
import { Cut, type Failure, failureOf, inWords, NotSent, Redirected, saidBy, Unreachable } from './failure'

describe('a failure in words', () => {
  it.each<[Failure, string]>([
    [{ kind: 'unreachable' }, 'No answer from http://h/v1.'],
    [{ kind: 'silent', seconds: 30 }, 'http://h/v1 sent nothing for 30 seconds.'],
    [{ kind: 'silent', seconds: 1 }, 'http://h/v1 sent nothing for 1 second.'],
    [{ kind: 'cut', seconds: 7 }, 'http://h/v1 began a reply and then sent nothing for 7 seconds.'],
    [{ kind: 'cut', seconds: null }, 'http://h/v1 began a reply, and then the connection broke.'],
    [
      { kind: 'redirected' },
      'http://h/v1 redirects to another address. The page does not follow, since the key belongs to this one.',
    ],
    [{ kind: 'status', status: 401, said: 'No key.' }, 'http://h/v1 answered 401. It says: "No key."'],
    [{ kind: 'status', status: 500, said: '' }, 'http://h/v1 answered 500.'],
    [
      { kind: 'html', said: 'Router' },
      'http://h/v1 answered with a web page, not as a model\'s server does. It says: "Router"',
    ],
    [{ kind: 'error', said: 'Busy.' }, 'http://h/v1 answered with an error. It says: "Busy."'],
    [{ kind: 'no list', said: '{}' }, 'http://h/v1 answered, but with no list of models. It says: "{}"'],
    [{ kind: 'not sent', why: 'The page did not send it.' }, 'The page did not send it.'],
    [{ kind: 'bug', what: 'TypeError: x' }, 'This page failed, not the server: TypeError: x'],
  ])('%j', (failure, words) => {
    expect(inWords(failure, 'http://h/v1')).toBe(words)
  })
})

it.each<[Error, Failure]>([
  [new Unreachable(), { kind: 'unreachable' }],
  [new Redirected(), { kind: 'redirected' }],
  [new Cut(), { kind: 'cut', seconds: null }],
  [new NotSent('Never.'), { kind: 'not sent', why: 'Never.' }],
  [new TypeError('x is null'), { kind: 'bug', what: 'TypeError: x is null' }],
])('%s is known for what it is', (error, failure) => {
  expect(failureOf(error)).toEqual(failure)
})

describe("a server's own message", () => {
  it.each([
    ['{"error": {"message": "Wrong key.", "code": 1}}', 'Wrong key.'],
    ['{"error": "Not found"}', 'Not found'],
    ['{"message": "Slow down"}', 'Slow down'],
    ['{"detail": "Nope"}', 'Nope'],
    ['{"detail": [{"loc": ["body"], "msg": "Field required"}]}', 'Field required'],
    ['[{"error": {"code": 400, "message": "API key not valid."}}]', 'API key not valid.'],
    ['{"errors": [{"message": "First"}, {"message": "Second"}]}', 'First'],
    ['{"error": {"message": ""}, "message": "Behind it"}', 'Behind it'],
    ['\ufeff{"error": "With a mark"}', 'With a mark'],
    ['  404 page\n\n not found ', '404 page not found'],
    ['<!DOCTYPE html><html><head><title>502 Bad\n Gateway</title></head></html>', '502 Bad Gateway'],
    ['<html><body>Hello</body></html>', ''],
    ['', ''],
    ['x'.repeat(500), `${'x'.repeat(240)}…`],
    ['🙂'.repeat(500), `${'🙂'.repeat(240)}…`],
  ])('in %j', (body, said) => {
    expect(saidBy(body)).toBe(said)
  })
})
