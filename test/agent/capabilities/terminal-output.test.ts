import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxPieceLength, replayLength, TerminalOutput } from '../../../agent/capabilities/terminal-output.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { runs } from '../../support/night.ts'

const takeAll = (output: TerminalOutput) => {
  const pieces: string[] = []
  for (let piece = output.take(); piece !== undefined; piece = output.take()) {
    pieces.push(piece)
  }
  return pieces
}

describe('TerminalOutput', () => {
  test('returns its input in pieces that never split a character', () => {
    const texts = fc.array(
      fc.string({ unit: anyCharacter, maxLength: 50 }).map((text) => text.repeat(600)),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(texts, (parts) => {
        const output = new TerminalOutput()
        const pieces = parts.flatMap((part) => {
          output.append(part)
          return takeAll(output)
        })
        expect(pieces.join('')).toBe(parts.join(''))
        expect(pieces.every((piece) => piece.isWellFormed() && piece.length <= maxPieceLength)).toBe(true)
        output.rewind()
        expect(takeAll(output).join('')).toBe(parts.join(''))
      }),
      { numRuns: runs(15) },
    )
  })

  test('moves a character that would be cut in two to the next piece', () => {
    const output = new TerminalOutput()
    output.append(`a${'😀'.repeat(maxPieceLength)}`)
    const [first = '', ...rest] = takeAll(output)
    expect(first).toBe(`a${'😀'.repeat(maxPieceLength / 2 - 1)}`)
    expect(rest.every((piece) => piece.isWellFormed())).toBe(true)
  })

  test('marks what was sent before, and nothing else, as past', () => {
    const output = new TerminalOutput()
    output.append(`sent ${'x'.repeat(maxPieceLength)}`)
    takeAll(output)
    output.append('queued')
    output.rewind()
    const pieces: [boolean, string | undefined][] = []
    while (output.waitingLength > 0) {
      pieces.push([output.isPast, output.take()])
    }
    expect(pieces).toEqual([
      [true, `sent ${'x'.repeat(maxPieceLength - 5)}`],
      [true, 'xxxxx'],
      [false, 'queued'],
    ])
    output.rewind()
    output.skip()
    output.append('new')
    expect(output.isPast).toBe(false)
  })

  test('keeps the end of output that exceeds the limit', () => {
    const output = new TerminalOutput()
    for (let line = 0; line < 100_000; line++) {
      output.append(`${line}\n`)
      output.skip()
    }
    expect(output.waitingLength).toBe(0)
    output.rewind()
    const kept = takeAll(output).join('')
    expect(kept.length).toBeLessThanOrEqual(replayLength)
    expect(kept).toMatch(/^\d+\n/)
    expect(kept.endsWith('99999\n')).toBe(true)
  })
})
