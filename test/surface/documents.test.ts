import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../../tools/processes.mjs'
import { sourceFiles } from './source-files.ts'

const folders = 'shared,server,renderer,main,agent,test,tools,resources,docs'
/** Documents checked at their own path; the introduction of docs/hubs.md is checked as part of it. */
const documents = sourceFiles('{*,.github/**/*}.md')
  .concat(sourceFiles(`{${folders}}/**/*.md`))
  .filter((file) => !file.path.startsWith('tools/documents/'))
const sources = sourceFiles().filter((file) => file.path !== 'test/surface/documents.test.ts')
const markdown = globSync(`{*,{${folders}}/**/*}.md`, { cwd: root }).map((file) => file.replaceAll('\\', '/'))

/** Matches of a pattern in some files, prefixed with the path of the file. */
const found = (files: readonly { path: string; text: string }[], pattern: RegExp) =>
  files.flatMap((file) => [...file.text.matchAll(pattern)].map(([, match]) => ({ in: file.path, match: match! })))

const shown = (finds: readonly { in: string; match: string }[]) => finds.map((find) => `${find.in}: ${find.match}`)

describe('documents and comments', () => {
  test('name only documents that exist', () => {
    const isHere = (name: string) => markdown.some((file) => file === name || file.endsWith(`/${name}`))
    const named = found([...documents, ...sources], /(?<![\w*])((?:[\w-]+\/)*[\w-]+\.md)\b/g)
    expect(shown(named.filter(({ match }) => !isHere(match)))).toEqual([])
  })

  test('link to a decision, and name none by a number', () => {
    const numbered = found([...documents, ...sources], /(\bdecisions?[ /]\[?\d{4}\b)/gi)
    expect(shown(numbered)).toEqual([])
  })

  test('refer to no text outside the repository', () => {
    const elsewhere =
      /(\bthe(?:\s|\*)+contract\b|\brulings? \d+|\.md`? sections? \d+|\.\.\/shared\/(?:style|notes)\b)/gi
    expect(shown(found([...documents, ...sources], elsewhere))).toEqual([])
  })
})

/** Anchors of a document, derived from its headings. */
const anchorsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

describe('documents', () => {
  test('name only files that exist, from the root, from their own folder or from server/', () => {
    const named = found(documents, /`((?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|mjs|json|md|html|yml))`/g)
    const isThere = (place: string, name: string) =>
      ['', path.dirname(place), 'server'].some((base) => existsSync(path.join(root, base, name)))
    // Outputs of builds and runs do not exist before them.
    const made = /^(dist|out|data)\//
    expect(shown(named.filter((find) => !made.test(find.match) && !isThere(find.in, find.match)))).toEqual([])
  })

  test('name only folders of the tree that exist', () => {
    const named = found(documents, /`((?:[\w.-]+\/)+)`/g)
    const isRooted = (name: string) => folders.split(',').includes(name.split('/')[0]!)
    expect(shown(named.filter(({ match }) => isRooted(match) && !existsSync(path.join(root, match))))).toEqual([])
  })

  test('name only files without a folder that some folder holds', () => {
    const names = new Set(markdown.concat(sources.map((file) => file.path)).map((file) => path.basename(file)))
    const named = found(documents, /`([\w-]+\.(?:tsx?|mjs))`/g)
    expect(shown(named.filter(({ match }) => !names.has(match)))).toEqual([])
  })

  test('name only functions that their file holds', () => {
    const places = documents.flatMap(({ path: place, text }) =>
      [...text.matchAll(/`(\w+)` (?:in|of) `((?:[\w.-]+\/)+[\w.-]+\.tsx?)`/g)].map(([, name, file]) => ({
        place,
        name: name!,
        file: ['', 'server'].map((base) => path.join(root, base, file!)).find((one) => existsSync(one)),
      })),
    )
    const isHeld = ({ name, file }: (typeof places)[number]) =>
      file !== undefined && new RegExp(`\\b${name}\\b`).test(readFileSync(file, 'utf8'))
    expect(places.filter((place) => !isHeld(place))).toEqual([])
    expect(places.length).toBeGreaterThan(5)
  })

  test('link to files and headings that exist', () => {
    const links = found(documents, /(?:\]\(|\bsrc(?:set)?=")([^)"\s]+)[)"]/g).filter(
      ({ match }) => !/^https?:/.test(match),
    )
    const broken = links.filter(({ in: place, match }) => {
      const [name = '', anchor] = match.split('#')
      const file = name === '' ? path.join(root, place) : path.join(root, path.dirname(place), name)
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
    })
    expect(shown(broken)).toEqual([])
  })

  test.each(['docs', 'docs/decisions'])('%s/README.md lists each document beside it', (folder) => {
    const map = readFileSync(path.join(root, folder, 'README.md'), 'utf8')
    const others = globSync('*.md', { cwd: path.join(root, folder) }).filter((name) => name !== 'README.md')
    expect(others.filter((name) => !map.includes(`](${name})`))).toEqual([])
  })
})
