import fc from 'fast-check'

/** Any character of Unicode, as unit of a text. The unit `binary` of fast-check takes two seconds to make. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7_ff }), fc.integer({ min: 0xe0_00, max: 0x10_ff_ff }))
  .map((codePoint) => String.fromCodePoint(codePoint))
