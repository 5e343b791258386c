/** A pattern that matches a path, with the values of its parameters, in order and still percent-encoded. */
export interface PathMatch<T> {
  value: T
  segments: readonly string[]
}

interface Node<T> {
  /** Children by lower-cased segment. */
  literals: Map<string, Node<T>>
  parameter: Node<T> | undefined
  value: T | undefined
}

const createNode = <T>(): Node<T> => ({ literals: new Map(), parameter: undefined, value: undefined })

const isParameter = (segment: string) => segment.startsWith(':')

/** Names of the parameters of a pattern such as `/tags/:tagId`, in order. */
export const parameterNames = (pattern: string) =>
  pattern
    .split('/')
    .filter(isParameter)
    .map((segment) => segment.slice(1))

/**
 * Values by path pattern, found in time proportional to the path. Letter case of literals and one trailing slash are
 * ignored; a literal segment wins over a parameter.
 */
export class PathTable<T extends object> {
  readonly #root = createNode<T>()

  /** Value for patterns of this shape, made by `create` if missing. */
  at(pattern: string, create: () => T): T {
    let node = this.#root
    for (const segment of pattern.split('/').slice(1)) {
      if (isParameter(segment)) {
        node = node.parameter ??= createNode()
      } else {
        const key = segment.toLowerCase()
        const next = node.literals.get(key) ?? createNode<T>()
        node.literals.set(key, next)
        node = next
      }
    }
    return (node.value ??= create())
  }

  /** All matches of a path, the most literal first. */
  find(path: string): readonly PathMatch<T>[] {
    const parts = path.split('/')
    const end = parts.length > 2 && parts.at(-1) === '' ? parts.length - 1 : parts.length
    const matches: PathMatch<T>[] = []
    const walk = (node: Node<T>, index: number, segments: readonly string[]) => {
      if (index === end) {
        if (node.value) {
          matches.push({ value: node.value, segments })
        }
        return
      }
      const part = parts[index]!
      const literal = node.literals.get(part.toLowerCase())
      if (literal) {
        walk(literal, index + 1, segments)
      }
      if (node.parameter && part !== '') {
        walk(node.parameter, index + 1, [...segments, part])
      }
    }
    walk(this.#root, 1, [])
    return matches
  }
}
