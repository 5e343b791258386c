import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { terminalNotOpen } from '../../../shared/dtos/hub-result.ts'
import { PwshCompletions, type CompletionsRequest } from '../../../agent/capabilities/pwsh-completions.ts'
import { systemClock } from '../../../agent/base/clock.ts'
import { temporaryFolder } from '../support.ts'

const request = (changes: Partial<CompletionsRequest> = {}): CompletionsRequest => ({
  terminalId: 'terminal',
  lastCompletionInput: 'Get-',
  lastCursorIndex: 4,
  forward: null,
  page: 0,
  pageSize: 2,
  ...changes,
})

/** Replaces PowerShell by a program that returns `count` matches once `before`, lines of a shell, have run. */
function powerShell(count: number, before = '') {
  const folder = temporaryFolder()
  const matches = Array.from({ length: count }, (_, index) => ({
    completionText: `Get-${index}`,
    listItemText: `${index}`,
    matchType: 2,
    toolTip: '',
  }))
  writeFileSync(join(folder, 'answer'), JSON.stringify({ replacementIndex: 0, replacementLength: 4, matches }))
  const file = join(folder, 'pwsh')
  writeFileSync(file, `#!/bin/sh\ncd ${folder}\ncat > /dev/null\n${before}\ncat answer\n`)
  chmodSync(file, 0o755)
  return { folder, completions: new PwshCompletions((id) => id === 'terminal', systemClock, file) }
}

const texts = async (completions: PwshCompletions, changes?: Partial<CompletionsRequest>) =>
  (await completions.get(request(changes))).value?.completionMatches.map(({ completionText }) => completionText)

test.skipIf(process.platform === 'win32')('a device without PowerShell answers with the reason', async () => {
  expect(await new PwshCompletions(() => true, systemClock, undefined).get(request())).toEqual({
    isSuccess: false,
    value: null,
    errorCode: null,
    reason: 'PowerShell is not installed on this device.',
  })
})

test.skipIf(process.platform === 'win32')('a terminal that is not open gets no completions (T05)', async () => {
  expect((await powerShell(3).completions.get(request({ terminalId: 'another' }))).reason).toBe(terminalNotOpen)
})

test.skipIf(process.platform === 'win32')('matches are paged', async () => {
  const { completions } = powerShell(3)
  expect((await completions.get(request())).value).toMatchObject({
    replacementIndex: 0,
    replacementLength: 4,
    hasMorePages: true,
    totalCount: 3,
    currentPage: 0,
  })
  expect(await texts(completions)).toEqual(['Get-0', 'Get-1'])
  expect(await texts(completions, { page: 1 })).toEqual(['Get-2'])
  expect((await completions.get(request({ page: 1 }))).value?.hasMorePages).toBe(false)
})

test.skipIf(process.platform === 'win32')('stepping wraps around in both directions', async () => {
  const { completions } = powerShell(3)
  const steps: unknown[] = []
  for (const forward of [true, true, true, true, false]) {
    steps.push((await texts(completions, { forward }))?.[0])
  }
  expect(steps).toEqual(['Get-0', 'Get-1', 'Get-2', 'Get-0', 'Get-2'])
})

test.skipIf(process.platform === 'win32')('more than 500 matches are counted, not listed', async () => {
  const { value } = await powerShell(501).completions.get(request())
  expect(value).toMatchObject({ completionMatches: [], totalCount: 501, hasMorePages: false })
})

test.skipIf(process.platform === 'win32')(
  'T20: four processes run at a time, 20 requests wait, and more are rejected',
  async () => {
    const { folder, completions } = powerShell(
      1,
      'mkdir running/$$; ls running | wc -l >> counts; while [ ! -e go ]; do sleep 0.02; done; rmdir running/$$',
    )
    mkdirSync(join(folder, 'running'))
    const begun = Array.from({ length: 24 }, (_, index) =>
      completions.get(request({ lastCompletionInput: `a${index}` })),
    )
    const { reason } = await completions.get(request({ lastCompletionInput: 'b' }))
    expect(reason).toBe('The device is still working on other completions. Try again.')
    writeFileSync(join(folder, 'go'), '')
    expect((await Promise.all(begun)).map(({ isSuccess }) => isSuccess)).toEqual(begun.map(() => true))
    const counts = readFileSync(join(folder, 'counts'), 'utf8').trim().split('\n')
    expect(Math.max(...counts.map(Number))).toBeLessThanOrEqual(4)
  },
)
