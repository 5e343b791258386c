import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const styles = join(root, 'node_modules/@mantine/core/styles')
/** Classes of Mantine components, in styles and in code. */
const classes = /\bm_[\da-f]{5,}/g
const assets = join(root, 'dist/renderer/assets')

test('the pages load the styles of exactly those Mantine components that their code contains, in Mantine’s order', () => {
  const code = readdirSync(assets)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(assets, name), 'utf8'))
    .join('')
  const used = new Set(code.match(classes))
  const whole = readFileSync(join(styles, '../styles.layer.css'), 'utf8')
  const needed = readdirSync(styles)
    .filter((name) => name.endsWith('.layer.css'))
    .map((name) => ({ name, css: readFileSync(join(styles, name), 'utf8') }))
    // Styles without a class of their own are for all components.
    .filter(({ css }) => {
      const names = css.match(classes) ?? []
      return names.length === 0 || names.some((name) => used.has(name))
    })
    // The file of all styles has one layer, in which the content of each file stands.
    .map(({ name, css }) => ({ name, at: whole.indexOf(css.replace('@layer mantine {', '').trim().slice(0, 80)) }))
    .toSorted((a, b) => a.at - b.at)
  const imported = readFileSync(join(root, 'renderer/styles/mantine.css'), 'utf8').matchAll(
    /styles\/([\w-]+\.layer\.css)/g,
  )
  expect([...imported].map(([, name]) => name)).toEqual(needed.map(({ name }) => name))
})
