import { StandingAnswers } from '../capabilities/standing-answers.ts'
import type { Options } from '../base/arguments.ts'
import { printable } from '../base/plain-text.ts'
import { refusePreparedFolder } from '../platform/folders.ts'
import { pathsFor } from '../platform/paths.ts'

/** Lists the standing answers of the people at this device, or removes them. */
export async function showConsent(options: Options): Promise<void> {
  const { settingsFolder, consentFile } = pathsFor(options)
  refusePreparedFolder(settingsFolder)
  const file = new StandingAnswers(consentFile)
  if (options.clear) {
    file.clear()
  }
  const { standing, alwaysAsk } = file.read(Date.now())
  const lines = [
    ...alwaysAsk.map((person) => `${person} wants to be asked each time.`),
    ...standing.map(
      ({ person, visitorName, subject, until }) =>
        `${person} lets ${visitorName} in (${subject}) until ${new Date(until).toLocaleString()}.`,
    ),
  ]
  process.stdout.write(`${printable(lines.join('\n') || 'Nobody is let in without the questions of the policies.')}\n`)
}
