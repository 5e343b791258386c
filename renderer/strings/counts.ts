import { plural } from '../../shared/plural.ts'

export const count = plural

export const devices = (value: number) => plural(value, 'device', 'devices')
