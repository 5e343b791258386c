import { expect, test } from 'vitest'
import { ShellOutput } from '../../../../renderer/features/terminal/shell-output.ts'
import type { TerminalOutputDto } from '../../../../shared/dtos/terminal.ts'

const out = (output: string, more: Partial<TerminalOutputDto> = {}): TerminalOutputDto => ({
  terminalId: '0190a000-0000-7000-8000-000000000001',
  output,
  outputKind: 0,
  timestamp: '2026-01-01T00:00:00Z',
  ...more,
})

/** Records all effects of the output, in order. */
function startOutput() {
  const seen: unknown[][] = []
  const note =
    (name: string) =>
    (...values: unknown[]) =>
      void seen.push([name, ...values.filter((value) => value !== undefined)])
  const screen = { write: note('write'), reset: note('reset') }
  const output = new ShellOutput({ screen, print: note('print'), onSize: note('size'), onExit: note('exit') })
  return { output, seen }
}

test('output received before the shell is known is shown in order once it is known', () => {
  const { output, seen } = startOutput()
  output.receive(out('a'))
  output.receive(out('b', { isReplay: true, isPast: true, columns: 90, rows: 30 }))
  expect(seen).toEqual([])
  output.begin('pty')
  output.receive(out('c'))
  expect(seen).toEqual([
    ['write', 'a'],
    ['size', { columns: 90, rows: 30 }],
    ['reset'],
    ['write', 'b', true],
    ['write', 'c'],
  ])
})

test('early output of an abandoned terminal is not shown in the next terminal', () => {
  const { output, seen } = startOutput()
  output.receive(out('old'))
  output.expect()
  output.begin('pty')
  expect(seen).toEqual([])
})

test('a line-based shell prints above the line that is being typed, errors in red', () => {
  const { output, seen } = startOutput()
  output.begin('line')
  output.receive(out('fine'))
  output.receive(out('bad', { outputKind: 1 }))
  expect(seen).toEqual([
    ['print', 'fine'],
    ['print', '\x1b[31mbad\x1b[39m'],
  ])
})

test('the end of a shell is written below its last output and reported', () => {
  const { output, seen } = startOutput()
  output.begin('pty')
  output.receive(out('bye', { isExit: true }))
  expect(seen).toEqual([['write', 'bye'], ['write', expect.stringContaining('\r\n')], ['exit']])
})
