import { randomInt } from 'node:crypto'

const length = 8

/** Without letters and digits that look alike: the password is often read aloud. */
const classes = ['abcdefghijkmnpqrstuvwxyz', 'ABCDEFGHJKLMNPQRSTUVWXYZ', '23456789'] as const

const oneOf = (characters: string) => characters[randomInt(characters.length)]!

function shuffled<T>(items: readonly T[]): T[] {
  const result = [...items]
  for (let index = result.length - 1; index > 0; index--) {
    const other = randomInt(index + 1)
    ;[result[index], result[other]] = [result[other]!, result[index]!]
  }
  return result
}

/** A random password with a character of every required class. */
export function newTemporaryPassword(): string {
  const rest = Array.from({ length: length - classes.length }, () => oneOf(classes.join('')))
  return shuffled([...classes.map(oneOf), ...rest]).join('')
}
