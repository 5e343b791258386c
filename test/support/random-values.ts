/** Setup of every Vitest project: seeds random values with the printed seed. */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env['FARHAND_SEED']) })
