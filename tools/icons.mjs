/** `npm run icons`: draws the PNG icons from their SVG with the Chromium that the tests use. */
import './node-version.mjs'
import { chromium } from '@playwright/test'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { chromiumLaunch } from './chromium.mjs'
import { answerHelp } from './help.mjs'
import { root } from './processes.mjs'

answerHelp('npm run icons\n\nDraws the PNG icons from their SVG with the Chromium that the tests use.')

const folder = path.join(root, 'resources', 'icons')

/** @type {readonly (readonly [string, string, number])[]} PNG, SVG, size in pixels. */
const icons = [
  ['icon.png', 'icon.svg', 1024],
  ['tray.png', 'icon.svg', 24],
  ['tray@2x.png', 'icon.svg', 48],
  // macOS colors an image itself when its name ends in Template.
  ['trayTemplate.png', 'tray-template.svg', 18],
  ['trayTemplate@2x.png', 'tray-template.svg', 36],
]

const browser = await chromium.launch(chromiumLaunch())
const page = await browser.newPage()
for (const [png, svg, size] of icons) {
  const source = readFileSync(path.join(folder, svg)).toString('base64')
  await page.setViewportSize({ width: size, height: size })
  await page.setContent(
    `<body style="margin:0"><img width="${size}" height="${size}" style="display:block" src="data:image/svg+xml;base64,${source}">`,
  )
  await page.screenshot({ path: path.join(folder, png), omitBackground: true })
}
await browser.close()
