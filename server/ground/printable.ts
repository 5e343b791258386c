import { inspect } from 'node:util'

/** Escapes control characters, because parts of a line are untrusted and terminals interpret them. */
export const printable = (text: string) =>
  text.replaceAll(/[^\P{Cc}\n]/gu, (character) => inspect(character).slice(1, -1))
