/** Terminals of the agent with PowerShell, in Wine 10. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleAgent } from '../../tools/agents/bundle.ts'
import { sharedFolder } from '../../tools/windows/debian-13.ts'
import { resetWindows, runWindows, switchOff } from '../../tools/windows/windows.ts'

const folder = path.join(sharedFolder, 'programs')

beforeAll(async () => {
  resetWindows()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  symlinkSync('../content/node_modules', path.join(folder, 'node_modules'))
  await bundleAgent(folder, path.join(import.meta.dirname, '../wine/terminal-program.ts'))
}, 60_000)
afterAll(switchOff)

test('PowerShell in a terminal: text in UTF-8, a resize, Ctrl+C, the end of the shell, and completions', async () => {
  const program = `Z:${path.join(folder, 'terminal-program.js').replaceAll('/', '\\')}`
  const { output } = await runWindows(['C:\\bed\\node.exe', program, 'C:\\bed\\shell.cmd', 'powershell'])
  expect(JSON.parse(output.split('\n').find((line) => line.startsWith('{')) ?? '{}'), output).toEqual({
    isUtf8: true,
    goesOnResized: true,
    isOver: true,
    isRunning: true,
    isInterrupted: true,
    completions: ['Get-Service'],
  })
}, 120_000)
