import { describe, expect, test } from 'vitest'
import { runCommand } from '../../../server/commands.ts'
import { commandNames, type CommandName } from '../../../server/settings/arguments.ts'
import { printConfigTable } from '../../../server/settings/key-table.ts'

describe('--help', () => {
  const answerTo = async (words: [CommandName, ...string[]]) => {
    const said: string[] = []
    const loadConfig = () => expect.unreachable('no settings are read')
    const status = await runCommand(words, { say: (line) => said.push(line), loadConfig })
    return [status, said.join('\n')]
  }

  test.each(commandNames)('of %s explains the command, wherever it stands, and does nothing else', async (name) => {
    const help = expect.stringMatching(new RegExp(`^Usage: .*\\b${name}\\b`, 's'))
    expect(await answerTo([name, '--help'])).toEqual([0, help])
    expect(await answerTo([name, 'verify', '-h'])).toEqual([0, help])
  })

  test('of the server lists every key without Markdown or JSON', () => {
    expect(printConfigTable()).not.toMatch(/`|\]\(|\*\*|\[\]|[{}]/)
  })
})
