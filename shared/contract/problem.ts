import { z } from 'zod'

/** Title and section of the problem `type`, in RFC 9110 unless it names another, for every status we send. */
export const problemKinds = {
  400: ['Bad Request', '15.5.1'],
  401: ['Unauthorized', '15.5.2'],
  403: ['Forbidden', '15.5.4'],
  404: ['Not Found', '15.5.5'],
  405: ['Method Not Allowed', '15.5.6'],
  408: ['Request Timeout', '15.5.9'],
  409: ['Conflict', '15.5.10'],
  410: ['Gone', '15.5.11'],
  412: ['Precondition Failed', '15.5.13'],
  413: ['Content Too Large', '15.5.14'],
  415: ['Unsupported Media Type', '15.5.16'],
  416: ['Range Not Satisfiable', '15.5.17'],
  421: ['Misdirected Request', '15.5.20'],
  429: ['Too Many Requests', '15.5.22'],
  500: ['An unexpected error occurred.', '15.6.1'],
  503: ['Service Unavailable', '15.6.4'],
  507: ['Insufficient Storage', 'rfc4918#section-11.5'],
} as const
export type ProblemStatus = keyof typeof problemKinds

/** Codes for failures that a program can handle, if the status alone is ambiguous, each with its cause. */
export const problemCodes = {
  'reauthentication-required': 'prove who you are with `POST /api/appliance/v1/session/proof` first',
  'second-factor-required': 'the tenant requires a second factor, which the caller has to set up first',
  'device-offline': 'the device is not connected',
  'device-timeout': 'the device did not answer in time',
  'device-refused': 'the device refused; `detail` is its reason',
  'device-failed': 'the agent of the device failed, or sent what nobody can use',
  'consent-refused': 'the person at the device refused, or nobody could be asked; `detail` says which',
  'path-exists': 'the device has something at this path already',
  'path-missing': 'the device has nothing at this path',
  'name-taken': 'something else has this name; `existingId` is its id',
  'limit-reached': 'there are as many as there may be; `detail` names the limit',
  'already-exists': 'the same exists already; `existingId` is its id',
} as const
export type ProblemCode = keyof typeof problemCodes
const codeNames = Object.keys(problemCodes) as ProblemCode[]

/** Body of every failure: RFC 9457 problem details, served as `application/problem+json`. */
export const ProblemDetails = z
  .object({
    type: z.string().describe('Section of RFC 9110 for the status.'),
    title: z.string().describe('Short summary of the status or the fault; the same for every fault of its kind.'),
    status: z.number().int().describe('Same as the HTTP status.'),
    detail: z
      .string()
      .optional()
      .describe('What is wrong with this request, in a sentence; left out where the title says it all.'),
    traceId: z.string().optional().describe('Id of the request; quote it when reporting a fault.'),
    code: z
      .enum(codeNames)
      .optional()
      .meta({
        // Open to readers: a newer server may send a further code.
        enum: undefined,
        'x-extensible-enum': codeNames,
        description: `Only where a program can do something about it. Today: ${codeNames
          .map((name) => `\`${name}\` (${problemCodes[name]})`)
          .join(', ')}; more may follow.`,
      }),
    existingId: z.string().optional().describe('With a 409: id of what exists already.'),
    firstEventId: z.string().optional().describe('With a 410: id of the oldest event that is kept.'),
    errors: z.record(z.string(), z.array(z.string())).optional().describe('Messages by field name.'),
  })
  .meta({
    id: 'ProblemDetails',
    description: 'Why a request failed: RFC 9457 problem details. A newer server may add members.',
    additionalProperties: true,
    examples: [
      {
        type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
        title: 'Invalid tenant id.',
        status: 400,
        detail: 'tenantId must be a non-empty GUID.',
        traceId: '0f8fad5b-d9cb-469f-a165-70867728950e',
      },
    ],
  })
export type ProblemDetails = z.infer<typeof ProblemDetails>

export const problemType = (status: ProblemStatus) => {
  const section = problemKinds[status][1]
  return `https://tools.ietf.org/html/${section.includes('#') ? section : `rfc9110#section-${section}`}`
}
