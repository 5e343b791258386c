/**
 * Code or key as typed or pasted, in one spelling: in upper case, full-width letters folded, without spaces, dashes of
 * any kind and invisible characters.
 */
export const typedCode = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[\s\p{Dash}\p{Cf}]/gu, '')
    .toUpperCase()
