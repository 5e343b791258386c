import { SeverityNumber, type LogRecord } from '@opentelemetry/api-logs'
import type { LogLine } from '../../ground/log.ts'

/** Severities by the levels of the logger, with the names of the configuration. */
const severities: Readonly<Record<number, readonly [SeverityNumber, string]>> = {
  10: [SeverityNumber.TRACE, 'Trace'],
  20: [SeverityNumber.DEBUG, 'Debug'],
  30: [SeverityNumber.INFO, 'Information'],
  40: [SeverityNumber.WARN, 'Warning'],
  50: [SeverityNumber.ERROR, 'Error'],
  60: [SeverityNumber.FATAL, 'Critical'],
}

/** A written line as a record: secrets are redacted already. The trace is that of the active request. */
export function logRecord({ level, time, msg = '', err, ...fields }: LogLine): LogRecord {
  const [severityNumber, severityText] = severities[level] ?? [SeverityNumber.UNSPECIFIED, '']
  return {
    severityNumber,
    severityText,
    timestamp: new Date(time),
    body: msg,
    attributes: {
      ...(fields as LogRecord['attributes']),
      ...(err && {
        'exception.type': err.type ?? 'Error',
        'exception.message': err.message ?? '',
        'exception.stacktrace': err.stack ?? '',
      }),
    },
  }
}
