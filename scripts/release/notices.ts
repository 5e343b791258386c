/** Writes licenses and notices of everything that is shipped into the page, where About shows them. Run by the build. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../processes.mjs'
import { makeNotices } from './sbom.ts'

writeFileSync(path.join(root, 'dist', 'renderer', 'licenses.txt'), makeNotices())
