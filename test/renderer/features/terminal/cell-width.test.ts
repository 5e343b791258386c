import { expect, test } from 'vitest'
import { cellWidth } from '../../../../renderer/features/terminal/cell-width.ts'

test.each([
  [1, 'a é ┃ € – ☎ 🌡 🇩'],
  [2, '日 한 Ａ 🎉 🚀 👍 ✅ 🏽 𠀀'],
  [0, '\u0301 \u200d \ufe0f \u0007'],
])('%i cells for each of %s', (width, characters) => {
  for (const character of characters.split(' ')) {
    expect([character, cellWidth(character.codePointAt(0)!)]).toEqual([character, width])
  }
})
