import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HubConnectionBuilder, LogLevel, type HubConnection } from '@microsoft/signalr'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../tools/simulate/free-port.ts'
import { temporaryFolder } from '../support/server-process.ts'

const engine = new URL('../../server/engines/signalr/', import.meta.url)

/** Runs the program of the README unchanged, beside the entry that it imports. */
async function runExample(): Promise<string> {
  const [, code] = /```ts\n(.*?)```/s.exec(await readFile(new URL('README.md', engine), 'utf8')) ?? []
  const folder = await temporaryFolder()
  const file = join(folder, 'example.ts')
  await writeFile(file, code ?? '')
  await writeFile(join(folder, 'index.ts'), `export * from '${new URL('index.ts', engine).href}'\n`)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const port = await freePort()
  const program = spawn(process.execPath, [file], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'inherit',
  })
  onTestFinished(() => void program.kill())
  return `http://127.0.0.1:${port}`
}

async function connect(url: string): Promise<HubConnection> {
  const connection = new HubConnectionBuilder().withUrl(url).configureLogging(LogLevel.None).build()
  onTestFinished(() => connection.stop())
  for (;;) {
    try {
      await connection.start()
      return connection
    } catch {
      // The program does not listen yet.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

test('the program of the README serves the official client', { timeout: 60_000 }, async () => {
  const url = await runExample()
  const [member, speaker] = [await connect(url), await connect(url)]
  const said = new Promise((resolve) => member.on('Said', (agent, text) => resolve([agent, text])))
  await member.invoke('Join', 'room')
  await speaker.invoke('Say', 'room', 'Hello')
  expect(await said).toEqual([expect.stringContaining('SignalR'), 'Hello'])
  await expect(speaker.invoke('Say', 'room', '')).rejects.toThrow('HubException: Say something.')
  await expect(speaker.invoke('Say', 'room')).rejects.toThrow("Failed to invoke 'Say' due to an error on the server.")
  const numbers: number[] = []
  await new Promise<void>((complete, error) => {
    member.stream<number>('CountTo', 3).subscribe({ next: (number) => void numbers.push(number), complete, error })
  })
  expect(numbers).toEqual([1, 2, 3])
})
