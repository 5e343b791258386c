import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode } from '@msgpack/msgpack'
import { describe, expect, test } from 'vitest'
import { createWire, settle, whole, worst, type Cut, type WireClient } from '../support/wire.ts'

/**
 * Whole conversations. A line is `C->S` or `S->C` with a message, `wait` with seconds, `option` with a name and a value
 * (before the first message), or `end`: the server has ended the transport.
 */
const folder = join(import.meta.dirname, 'transcripts')
const files = readdirSync(folder).filter((file) => file.endsWith('.txt'))

describe.each(files)('%s', (file) => {
  const lines = readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
  test.each([
    ['byte by byte', worst],
    ['message by message', whole],
  ])('%s', async (_name, cut) => expect(await play(lines, cut)).toEqual(lines))
})

/** Plays the client's lines; returns the lines of the conversation. */
async function play(lines: readonly string[], cut: Cut): Promise<string[]> {
  const options = lines.filter((line) => line.startsWith('option ')).map((line) => line.split(' ').slice(1))
  const wire = createWire({
    options: Object.fromEntries(options.map(([name, value]) => [name, JSON.parse(value ?? '')])),
  })
  const client = wire.open({ cut })
  const seen: string[] = []
  let read = 0
  const listen = () => {
    for (const { payload } of client.transport.written.slice(read)) {
      seen.push(...toLines(payload))
    }
    read = client.transport.written.length
  }
  for (const line of lines) {
    if (line.startsWith('S->C ')) {
      continue
    }
    if (line === 'end' ? client.transport.ending === 'ended' : true) {
      seen.push(line)
    }
    if (line.startsWith('wait ')) {
      await wire.clock.advance(Number(line.slice(5)) * 1_000)
    }
    if (line.startsWith('C->S ')) {
      say(client, line.slice(5))
    }
    await settle()
    listen()
  }
  return seen
}

function say(client: WireClient, message: string) {
  if (message.startsWith('[')) {
    client.sendPacked(JSON.parse(message))
  } else {
    client.send(`${message}\x1e`)
  }
}

function toLines(payload: string | Uint8Array): string[] {
  const bytes = Buffer.from(payload as Uint8Array)
  if (bytes.at(-1) === 0x1e && bytes[0] === 0x7b) {
    return bytes
      .toString()
      .split('\x1e')
      .slice(0, -1)
      .map((message) => `S->C ${message}`)
  }
  return [`S->C ${JSON.stringify(decode(bytes.subarray(bytes.findIndex((byte) => byte < 0x80) + 1)))}`]
}
