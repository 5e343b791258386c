/** Silent runs of our part of the Windows installer, in Wine 10, around a program that stands for the server's. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drive, resetWindows, runWindows, switchOff } from '../../tools/windows/windows.ts'
import { compileSetup } from '../support/windows-setup.ts'

const timeout = 100_000
const folder = path.join(drive, 'bed')
const calls = path.join(folder, 'calls.txt')
const appData = path.join(drive, 'ProgramData', 'Farhand')

/** Writes its arguments to a file, and fails if the file "fails" is there. */
const standIn = String.raw`#include <stdio.h>
int main(int count, char **words) {
  FILE *file = fopen("C:\\bed\\calls.txt", "a");
  for (int at = 1; at < count; at++) fprintf(file, "%s ", words[at]);
  fclose(file);
  return fopen("C:\\bed\\fails", "r") ? 1 : 0;
}`

beforeAll(() => {
  resetWindows()
  writeFileSync(path.join(folder, 'program.c'), standIn)
  execFileSync('x86_64-w64-mingw32-gcc-posix', ['program.c', '-o', 'Farhand.exe'], { cwd: folder })
  compileSetup(folder, 'installer')
  compileSetup(folder, 'uninstaller')
  mkdirSync(appData)
}, timeout)
afterAll(switchOff)

/** Runs a setup silently; returns its status and the calls of the program. */
async function run(...command: string[]) {
  rmSync(calls, { force: true })
  const { status } = await runWindows(command)
  return { status, calls: existsSync(calls) ? readFileSync(calls, 'utf8').trim() : '' }
}

test(
  'a silent installation makes the service if asked to, and its status says where that failed',
  { timeout },
  async () => {
    expect(await run('C:\\bed\\installer.exe', '/S')).toEqual({ status: 0, calls: '' })
    expect(await run('C:\\bed\\installer.exe', '/S', '/SERVICE')).toEqual({ status: 0, calls: 'service install' })
    // A service runs no program that its user can replace.
    expect(await run('C:\\bed\\installer.exe', '/S', '/currentuser', '/SERVICE')).toEqual({ status: 3, calls: '' })
    writeFileSync(path.join(folder, 'fails'), '')
    expect(await run('C:\\bed\\installer.exe', '/S', '/SERVICE')).toEqual({ status: 3, calls: 'service install' })
  },
)

test('a silent uninstallation removes the service and keeps the data', { timeout }, async () => {
  await run('C:\\bed\\uninstaller.exe', '/S')
  // Without a copy of itself, which nobody could wait for.
  expect(await run('C:\\setup\\un.exe', '/S', '_?=C:\\setup')).toEqual({ status: 0, calls: 'service uninstall' })
  expect(existsSync(appData)).toBe(true)
})
