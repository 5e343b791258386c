/**
 * Runs in Wine: makes a closed folder and reads who may use folders. `open` is a folder that everybody may write to. Prints
 * the results as one line of JSON.
 */
import { dirname } from 'node:path/win32'
import koffi from 'koffi'
import { makeWindowsFolder, windowsFolderProblem } from '../../agent/platform/windows/private-folder.ts'
import { ownSid } from '../../agent/platform/windows/users.ts'
import { folderSecurity, securityProblem } from '../../shared/windows/folder-security.ts'

const [, , made = '', open = ''] = process.argv
const own = await ownSid()
makeWindowsFolder(made)
const { securityOf } = folderSecurity(koffi, Error)
const judge = (folder: string) => securityProblem(folder, securityOf(folder), [own, 'S-1-5-18'], false) ?? 'usable'
const results = {
  made: [judge(made), judge(dirname(made))],
  madeByUs: windowsFolderProblem(made) ?? 'usable',
  open: judge(open),
  ofOther: windowsFolderProblem(`${open}\\missing`)?.replace(own, 'US'),
}
process.stdout.write(`${JSON.stringify(results)}\n`)
process.exit(0)
