import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { chromiumLaunch, findChromium } from '../../tools/chromium.mjs'
import type { Host } from '../support/network-hosts.ts'

/** Heading or error that a host's browser, with the profile in this home, shows at an address. */
export async function openedBy(host: Host, home: string, address: string): Promise<string> {
  const installed = findChromium()
  if (!installed) {
    throw new Error('There is no Chromium.')
  }
  const program = join(home, 'browser')
  const command = host.entering('env', `HOME=${home}`, installed)
  writeFileSync(program, `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`)
  chmodSync(program, 0o755)
  const browser = await chromium.launch({ args: chromiumLaunch().args, executablePath: program })
  try {
    const page = await browser.newPage()
    await page.goto(address)
    const heading = page.getByRole('heading').first()
    await heading.waitFor()
    return await heading.innerText()
  } catch (error) {
    return String(error)
  } finally {
    await browser.close()
  }
}
