import type { Page } from '@playwright/test'
import { expect, test } from './support/fixtures.ts'
import { pressOn, tabTo } from './support/keys.ts'

const list = (page: Page) => page.getByRole('grid')
const pane = (page: Page) => page.getByRole('complementary').last()
const dialog = (page: Page) => page.getByRole('dialog')

/** Types into the focused field and presses Enter. */
async function enter(page: Page, text: string) {
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** Opens a dialog by its button, and answers its first field. */
async function make(page: Page, button: string, text: string) {
  await pressOn(page, page.getByRole('button', { name: button }).first())
  await expect(dialog(page).getByRole('textbox').first()).toBeFocused()
  await enter(page, text)
}

/** Chooses in a field that searches: the first option for a text. */
async function choose(page: Page, label: string, text: string) {
  await tabTo(page, dialog(page).getByRole('combobox', { name: label, exact: true }))
  await page.keyboard.type(text)
  await expect(page.getByRole('option').first()).toContainText(text)
  // The found options replace the earlier ones and clear the mark of the chosen option.
  await expect(page.getByRole('option').filter({ hasNotText: text })).toHaveCount(0)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
}

/** Copies a secret: until then, leaving asks. */
async function copy(page: Page, button: string) {
  await pressOn(page, page.getByRole('button', { name: button }))
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
}

interface PageTask {
  /** Keys that open the page. */
  open: (page: Page) => Promise<void>
  /** Main task of the page, without a pointer. */
  work: (page: Page) => Promise<void>
}

const chord =
  (...keys: string[]) =>
  async (page: Page) => {
    for (const key of keys) {
      await page.keyboard.press(key)
    }
  }

/** A task for each page of administration, in an order in which later ones need what earlier ones made. */
const tasks: Record<string, PageTask> = {
  Organize: {
    open: chord('g', 'o'),
    work: async (page) => {
      await tabTo(page, page.getByLabel('Create customer: Name'))
      await enter(page, 'Contoso')
      await tabTo(page, pane(page).getByLabel('Description'))
      await enter(page, 'Bakery')
      await expect(page.getByText('1 customer', { exact: true })).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(list(page)).toBeFocused()
    },
  },
  Devices: {
    open: chord('g', 'd'),
    work: async (page) => {
      await expect(list(page)).toBeFocused()
      await page.keyboard.press('x')
      await pressOn(page, page.getByRole('button', { name: 'More' }))
      await expect(page.getByRole('menuitem').first()).toBeFocused()
      await page.keyboard.press('Enter')
      await choose(page, 'Move to customer', 'Contoso')
      await pressOn(page, dialog(page).getByRole('button', { name: 'Change 1 device' }))
      await expect(page.getByRole('treeitem', { name: 'Contoso' })).toContainText('1')
      await tabTo(page, page.getByRole('tree', { name: 'Customers' }))
      await chord('ArrowDown', 'Enter')(page)
      await expect(page.getByText('1 device · 1 hidden by filters')).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(list(page)).toBeFocused()
    },
  },
  Deploy: {
    open: chord('g', 'p'),
    work: async (page) => {
      await pressOn(page, page.getByRole('button', { name: 'More kinds of keys' }))
      await tabTo(page, page.getByRole('radio', { name: 'A number of uses' }))
      await chord('ArrowDown', 'ArrowDown')(page)
      await tabTo(page, page.getByRole('textbox', { name: 'Name' }))
      await enter(page, 'Images')
      await expect(page.getByText('The key “Images” works until you delete it.')).toBeVisible()
      await copy(page, 'Copy command')
      await expect(page.getByRole('row').filter({ hasText: 'Images' })).toBeVisible()
    },
  },
  People: {
    open: chord('g', 'e'),
    work: async (page) => {
      await make(page, 'Create account', 'grace@example.org')
      await copy(page, 'Copy password')
      await pressOn(page, dialog(page).getByRole('button', { name: 'Done' }))
      await expect(pane(page).getByRole('heading', { name: 'grace@example.org' })).toBeVisible()
      await tabTo(page, pane(page).getByRole('button', { name: 'Disable' }))
      await page.keyboard.press('Escape')
      await expect(list(page)).toBeFocused()
    },
  },
  'Groups of people': {
    open: chord('g', 'u'),
    work: async (page) => {
      await make(page, 'New group', 'Helpdesk')
      await tabTo(page, pane(page).getByRole('searchbox', { name: 'Add people' }))
      await page.keyboard.type('grace')
      await pressOn(page, pane(page).getByRole('button', { name: 'Add grace@example.org' }))
      await expect(pane(page).getByRole('list', { name: 'Members' })).toContainText('grace@example.org')
    },
  },
  'Roles and rights': {
    open: chord('g', 'r'),
    work: async (page) => {
      await pressOn(page, page.getByRole('button', { name: 'Give rights' }))
      await choose(page, 'To', 'Helpdesk')
      await choose(page, 'Customer', 'Contoso')
      await pressOn(page, dialog(page).getByRole('button', { name: 'Give rights' }))
      await expect(list(page).getByRole('row').filter({ hasText: 'Helpdesk' })).toContainText('Contoso')
    },
  },
  Settings: {
    open: chord('g', ','),
    work: async (page) => {
      await tabTo(page, page.getByRole('radio', { name: 'Each technician decides' }))
      await page.keyboard.press('ArrowDown')
      await expect(page.getByRole('radio', { name: 'The person is always told' })).toBeChecked()
      // Earlier changes can still be undone, too.
      const toast = page.getByRole('alert').filter({ hasText: 'The setting is changed' })
      await pressOn(page, toast.getByRole('button', { name: 'Undo' }))
      await expect(page.getByRole('radio', { name: 'Each technician decides' })).toBeChecked()
    },
  },
  'Service accounts': {
    open: chord('g', 'k'),
    work: async (page) => {
      await make(page, 'New service account', 'Backup job')
      await pressOn(page, pane(page).getByRole('button', { name: 'New key' }))
      await tabTo(page, dialog(page).getByLabel('Name of the key'))
      await enter(page, 'NAS')
      await copy(page, 'Copy key')
      await pressOn(page, dialog(page).getByRole('button', { name: 'Done' }))
      await expect(pane(page).getByRole('list', { name: 'Keys' })).toContainText('NAS')
    },
  },
  Server: {
    open: chord('g', 'v'),
    work: async (page) => {
      await pressOn(page, page.getByRole('link', { name: 'Notice', exact: true }))
      const notice = page.getByRole('region', { name: 'Notice for everybody' })
      await tabTo(page, notice.getByLabel('Text'))
      await page.keyboard.type('Restart at noon')
      await pressOn(page, notice.getByRole('switch', { name: 'Show the notice' }), 'Space')
      await pressOn(page, notice.getByRole('button', { name: 'Save' }))
      await expect(page.getByRole('region', { name: 'Notice of the administrators' })).toContainText('Restart at noon')
    },
  },
  Organizations: {
    open: async (page) => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type('organizations')
      await expect(dialog(page).getByRole('button', { name: 'Organizations' }).first()).toBeVisible()
      await page.keyboard.press('Enter')
    },
    work: async (page) => {
      await make(page, 'New organization', 'Fabrikam')
      await expect(pane(page).getByRole('heading', { name: 'Fabrikam' })).toBeVisible()
    },
  },
  'Audit log': {
    open: chord('g', 'l'),
    work: async (page) => {
      await expect(list(page)).toBeFocused()
      await chord('ArrowDown', 'Enter')(page)
      await expect(pane(page)).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(list(page)).toBeFocused()
    },
  },
}

test(
  'each page of administration serves its purpose by keyboard alone',
  { tag: '@night' },
  async ({ page, server, enroll, context }) => {
    await context.grantPermissions(['clipboard-write'])
    await enroll(2)
    await page.goto(`${server.url}/devices`)
    await expect(list(page)).toBeFocused()
    for (const [name, { open, work }] of Object.entries(tasks)) {
      await test.step(name, async () => {
        await open(page)
        await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
        await work(page)
        // Chords are keys of the page, not of a field.
        await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      })
    }
  },
)
