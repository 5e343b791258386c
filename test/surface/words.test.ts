import { describe, expect, test } from 'vitest'
import { wordProblems } from '../../tools/words.ts'
import { sourceFiles } from './source-files.ts'

const tables = ['tools/words.ts', 'test/surface/words.test.ts']

describe('the words of the project', () => {
  test.each([
    ['/** What is sent. */', '1: a comment begins with "What"'],
    ['/**\n * Whoever asks.\n */', '1: a comment begins with "Whoever"'],
    ['const a = 1 // Of the first.', '1: a comment begins with "Of"'],
    ['x\n  /** By which it is found. */', '2: a comment begins with "By which"'],
    ['interface QueuePorts {', '1: use Dependencies'],
    ['this.#inTurn(work)', '1: use Mutex, or the name of the queue'],
    ['// Requests are answered in turn.', '1: use Mutex, or the name of the queue'],
    ['// The own certificate of the server.', '1: use custom, issued or served certificate'],
    ['const enrolDevice = 1', '1: use enroll'],
    ['const colour = 1', '1: use the American spelling'],
  ])('reject %j', (text, problem) => {
    expect(wordProblems(text)).toEqual([problem])
  })

  test.each([
    '/** Returns the ports. */',
    '// A sentence that breaks here:\n// It goes on.',
    "// Who's there",
    'const url = "https://One"',
    'interface VncPorts {',
    'const enrollment = 1',
  ])('accept %j', (text) => {
    expect(wordProblems(text)).toEqual([])
  })

  test('are used in every folder', () => {
    const problems = sourceFiles()
      .filter(({ path }) => !tables.includes(path))
      .flatMap(({ path, text }) => wordProblems(text).map((problem) => `${path}:${problem}`))
    expect(problems).toEqual([])
  })
})
