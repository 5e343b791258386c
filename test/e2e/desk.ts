import type { Locator, Page } from '@playwright/test'
import { XProgram } from '../agent/desktop/x-program.ts'
import {
  cardOf,
  expect,
  isNear,
  pixelAt,
  running,
  screenOf,
  startRealDesktop,
  type RealDesktop,
} from '../renderer/support/real-desktop.ts'
import type { Member } from '../support/server.ts'

export type Color = readonly [red: number, green: number, blue: number]

/** In the middle of the desktop, where clicks on the picture arrive. */
const window = { x: 300, y: 250, width: 300, height: 200 }
const place = { x: 350, y: 300 }

/** Follows the link of a row, which is there while the row is pointed at; devices that arrive move the rows. */
export async function openControl(row: Locator): Promise<void> {
  const link = row.getByRole('link', { name: /^Control / })
  await expect(async () => {
    await row.hover()
    await expect(link).toBeVisible({ timeout: 2_000 })
  }).toPass({ timeout: 60_000 })
  await link.click()
}

/** Device with a desktop of its own, on which a program shows a window of one color. */
export class Desk {
  readonly name: string
  readonly desktop: RealDesktop
  readonly program: XProgram
  readonly #window: number
  readonly #stop: () => Promise<void>

  private constructor(name: string, desktop: Awaited<ReturnType<typeof startRealDesktop>>, opened: [XProgram, number]) {
    this.name = name
    this.desktop = desktop
    this.#stop = () => desktop.stop()
    ;[this.program, this.#window] = opened
  }

  /** Starts the desk, and gives its device a name: all devices of this machine report the same one. */
  static async start(owner: Member, alias: string): Promise<Desk> {
    const desktop = await startRealDesktop(owner)
    await owner.devices.setAlias({ params: { deviceId: desktop.device.id }, body: { alias } })
    const program = await XProgram.start(desktop.display.name)
    const opened = await program.openWindow(window.x, window.y, window.width, window.height)
    return new Desk(alias, desktop, [program, opened])
  }

  async show([red, green, blue]: Color): Promise<void> {
    await this.program.fill(0, 0, window.width, window.height, (red << 16) | (green << 8) | blue, this.#window)
  }

  /** Takes control by click, from the list of devices. */
  async control(page: Page): Promise<void> {
    await openControl(page.getByRole('row').filter({ hasText: this.name }))
    await cardOf(page, this.desktop).getByRole('button', { name: 'Control', exact: true }).click()
  }

  /** Expects that the page shows this desk in this color, and that a click on it arrives at this desk. */
  async expectOn(page: Page, color: Color): Promise<void> {
    await running(page)
    await expect.poll(async () => isNear(await pixelAt(page, place.x, place.y), color)).toBe(true)
    await this.program.takeEvents()
    await screenOf(page).click()
    await expect.poll(async () => (await this.program.takeEvents('ButtonPress')).length).toBe(1)
  }

  /** Closes the window, which would cover those of the agent. */
  async closeWindow(): Promise<void> {
    this.program.connection.client.DestroyWindow(this.#window)
    await this.program.connection.flush()
  }

  async stop(): Promise<void> {
    this.program.stop()
    await this.#stop()
  }
}
