import type { SearchAnswer, SearchBegun, SearchRequest } from './log-search.ts'

/** Limit for highlighted matches; further ones are only counted. */
const mostMatches = 20_000
const lines: string[] = []

const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)

function search({ id, text, isCase, isPattern }: Extract<SearchRequest, { type: 'search' }>): SearchAnswer {
  let pattern: RegExp
  try {
    pattern = new RegExp(isPattern ? text : escaped(text), isCase ? 'g' : 'gi')
  } catch {
    return { id, isWrong: true, matches: new Int32Array(), total: 0 }
  }
  const matches: number[] = []
  let total = 0
  lines.forEach((line, index) => {
    for (const match of line.matchAll(pattern)) {
      if (match[0] !== '') {
        total++
        if (total <= mostMatches) {
          matches.push(index, match.index, match.index + match[0].length)
        }
      }
    }
  })
  return { id, isWrong: false, matches: Int32Array.from(matches), total }
}

addEventListener('message', ({ data }: MessageEvent<SearchRequest>) => {
  if (data.type === 'search') {
    postMessage({ id: data.id, hasBegun: true } satisfies SearchBegun)
    postMessage(search(data))
  } else {
    lines.length = data.from
    data.lines.forEach((line) => lines.push(line))
  }
})
