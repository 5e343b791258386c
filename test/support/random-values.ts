/** Set-up of every Vitest project: random values come from the seed that the run printed. */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env['FARHAND_SEED']) })
