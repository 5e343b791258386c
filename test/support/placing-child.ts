/** Puts a program in the place of another one; kill-at-step.mjs may kill this process before a step. */
import { placeProgram } from '../../server/updates/placed-program.ts'

const [, , , from = '', to = ''] = process.argv
await placeProgram(from, to)
