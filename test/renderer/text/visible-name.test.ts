import { expect, test } from 'vitest'
import { visibleName } from '../../../renderer/text/visible-name.ts'

test.each([
  ['plain name.txt', 'plain name.txt'],
  ['день ☀ 日本 שלום', 'день ☀ 日本 שלום'],
  ['a\u202Etxt.exe', 'a⟨U+202E⟩txt.exe'],
  ['line\nfeed\t\u0007\u007f', 'line⟨U+000A⟩feed⟨U+0009⟩⟨U+0007⟩⟨U+007F⟩'],
  ['zero\u200bwidth\ufeff', 'zero⟨U+200B⟩width⟨U+FEFF⟩'],
  [' edge  ', '⟨U+0020⟩edge⟨U+0020⟩⟨U+0020⟩'],
  ['bytes\uef80\uefff', 'bytes⟨80⟩⟨FF⟩'],
  ['tags\u{e0061}\u{e007f}', 'tags⟨U+E0061⟩⟨U+E007F⟩'],
  ['a\u{e0100}\u{1d173}\u2800b', 'a⟨U+E0100⟩⟨U+1D173⟩⟨U+2800⟩b'],
  ['half\ud800', 'half⟨U+D800⟩'],
  ['whole 😀', 'whole 😀'],
  ['<b>&amp;', '<b>&amp;'],
])('%j is shown as %j', (name, shown) => {
  expect(visibleName(name)).toBe(shown)
})
