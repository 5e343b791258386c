import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { InputBudget } from '../../../../../server/engines/flow/input-budget.ts'
import { AppError } from '../../../../../server/ground/errors.ts'
import { readJsonBody } from '../../../../../server/engines/http/contract/body.ts'

const held = new InputBudget().open('somebody', { drop: () => {} })
const sender = { isProved: true, held }

/** Sends a body, and returns what the server reads, or the status of its failure. */
async function read(body: Buffer, headers: Record<string, string>): Promise<unknown> {
  const server = createServer((request, response) => {
    readJsonBody(request, sender).then(
      (value) => response.end(JSON.stringify({ value })),
      (error: unknown) =>
        response.end(JSON.stringify({ value: error instanceof AppError ? error.status : String(error) })),
    )
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: new Uint8Array(body), headers })
  return ((await answer.json()) as { value: unknown }).value
}

const json = { 'content-type': 'application/json' }
const utf16 = { 'content-type': 'application/json; charset="utf-16le"' }
const tooDeep = `${'['.repeat(65)}${']'.repeat(65)}`
// U+2200 and U+5B22 contain the bytes of quotes and brackets.
const confusing = '\u2200\u5b22\u225b'

test.each([
  ['UTF-8', Buffer.from('{"a":"é"}'), json, { a: 'é' }],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeff{"a":1}'), json, { a: 1 }],
  ['UTF-16', Buffer.from(`{"a":"${confusing}"}`, 'utf16le'), utf16, { a: confusing }],
  ['compressed JSON', gzipSync('{"a":1}'), { ...json, 'content-encoding': 'gzip' }, { a: 1 }],
  ['an encoding of one language', Buffer.from('{}'), { 'content-type': 'application/json; charset=shift_jis' }, 415],
  ['an unknown compression', Buffer.from('{}'), { ...json, 'content-encoding': 'zip' }, 415],
  ['a text', Buffer.from('"a"'), json, 400],
  ['cut JSON', Buffer.from('{"a":'), json, 400],
  ['more than 64 levels', Buffer.from(tooDeep), json, 400],
  ['more than 64 levels in UTF-16', Buffer.from(`["${confusing}",${tooDeep}]`, 'utf16le'), utf16, 400],
  ['more than 15,000 values', Buffer.from(JSON.stringify(Array(15_001).fill(0))), json, 400],
  ['ISO-8859-1, as PowerShell 5.1 sends', Buffer.from('{"a":"M\u00fcller"}', 'latin1'), json, 400],
  ['UTF-8 that is cut within a character', Buffer.from([...Buffer.from('{"a":"'), 0xe6, 0xb8, 0x22, 0x7d]), json, 400],
  ['UTF-16 with half of a character', Buffer.from('{"a":"\ud83d"}', 'utf16le'), utf16, 400],
  ['half of a character as an escape', Buffer.from('{"a":"half \\ud83d here"}'), json, 400],
  ['half of a character in a name', Buffer.from('{"\\uDE00":1}'), json, 400],
  ['a whole character as two escapes', Buffer.from('{"a":"\\ud83d\\ude00"}'), json, { a: '\u{1f600}' }],
  ['a NUL at the end of a long body', Buffer.from(`["${'a'.repeat(200_000)}","\\u0000"]`), json, 400],
])('a body of %s is read, or rejected with its status', async (_, body, headers, expected) => {
  await expect(read(body, headers)).resolves.toEqual(expected)
})
