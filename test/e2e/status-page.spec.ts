import { expect } from '@playwright/test'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { sharingTest as test } from '../renderer/support/fixtures.ts'

const page = pathToFileURL(path.resolve('resources/status/index.html')).href
const problem = 'Port 5120 on 127.0.0.1 is in use by another program.'

/** Simulates the shell: `window.desktop` with a server in the given state, which records its calls. */
const shellWith = (state: object) => `
  window.asked = []
  window.desktop = {
    getServerState: async () => (${JSON.stringify(state)}),
    retryStart: async () => (asked.push('retryStart'), ${JSON.stringify(state)}),
    openDataFolder: async () => void asked.push('openDataFolder'),
  }`

test('the page for a failed start shows the reason and offers actions', async ({ page: tab }) => {
  const errors: string[] = []
  tab.on('pageerror', (error) => errors.push(error.message))
  tab.on('console', (message) => errors.push(message.text()))
  await tab.addInitScript(shellWith({ state: 'failed', url: null, problem }))
  await tab.goto(page)
  await expect(tab.getByRole('heading', { name: 'Farhand could not start' })).toBeVisible()
  await expect(tab.getByText(problem)).toBeVisible()
  await expect(tab.getByRole('button', { name: 'Try again' })).toBeFocused()
  await tab.keyboard.press('Enter')
  await tab.getByRole('button', { name: 'Open data folder' }).click()
  await expect(tab.getByText(problem)).toBeVisible()
  expect(await tab.evaluate('asked')).toEqual(['retryStart', 'openDataFolder'])
  expect(errors).toEqual([])
})

test('the page shows progress while the server starts', async ({ page: tab }) => {
  await tab.addInitScript(shellWith({ state: 'starting', url: null, problem: null }))
  await tab.goto(page)
  await expect(tab.getByRole('status')).toHaveText('Farhand is starting…')
  await expect(tab.getByRole('button')).toHaveCount(0)
})

test('the page of a service that does not answer says so, and offers no data folder', async ({ page: tab }) => {
  await tab.addInitScript(shellWith({ state: 'failed', url: null, problem, isService: true }))
  await tab.goto(page)
  await expect(tab.getByRole('heading', { name: 'The Farhand service does not answer' })).toBeVisible()
  await expect(tab.getByText(problem)).toBeVisible()
  await expect(tab.getByRole('button')).toHaveText('Try again')
})
