import type { SignedEncoding } from '../../shared/contract/signed-bytes.ts'
import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import { columnOf, deviceReport } from '../../shared/dtos/device-report.ts'

type Report = Omit<DeviceUpdateRequestDto, 'id' | 'tenantId'>

/** Returns a different value with the same encoding; texts contain `mark`. */
export function otherValue(form: SignedEncoding, value?: unknown, mark = 'x'): unknown {
  if (form === 'guid') {
    return String(value).replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
  }
  if (form === 'string') {
    return `${value ?? ''}${mark}`
  }
  if (form === 'boolean') {
    return value !== true
  }
  if (form === 'integer') {
    return Number(value ?? 0) + 1
  }
  if (form === 'double') {
    return Number(value ?? 0) + 0.25
  }
  if ('numbers' in form) {
    return Object.keys(form.numbers).find((name) => name !== value)
  }
  return 'list' in form
    ? [...(Array.isArray(value) ? value : []), otherValue(form.list, undefined, mark)]
    : otherMembers(form.map)
}

const otherMembers = (forms: Readonly<Record<string, SignedEncoding>>, values: Record<string, unknown> = {}) =>
  Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, otherValue(form, values[name], name)]))

/** Report that differs from `report` in every field. */
export const otherReport = (report: Report): Report => otherMembers(columnOf(deviceReport, 'signed'), report) as Report
