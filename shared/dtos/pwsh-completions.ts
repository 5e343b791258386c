import { z } from 'zod'
import { dto, id, numberEnum } from '../contract/fields.ts'
import { hubResultOf } from './hub-result.ts'

export const PwshCompletionMatchType = numberEnum('PwshCompletionMatchType', {
  Text: 0,
  History: 1,
  Command: 2,
  ProviderItem: 3,
  ProviderContainer: 4,
  Property: 5,
  Method: 6,
  ParameterName: 7,
  ParameterValue: 8,
  Variable: 9,
  Namespace: 10,
  Type: 11,
  Keyword: 12,
  DynamicKeyword: 13,
})

const count = z.number().int().min(0)

export const PwshCompletionsRequestDto = dto('PwshCompletionsRequestDto', {
  deviceId: id,
  terminalId: id,
  lastCompletionInput: z.string().max(20_000),
  lastCursorIndex: z.number().int(),
  viewerConnectionId: z.string().default('').describe('Set by the server.'),
  forward: z.boolean().nullable().default(null).describe('Next, previous, or null for the list.'),
  page: count.default(0),
  pageSize: count.max(500).default(50),
})
export type PwshCompletionsRequestDto = z.output<typeof PwshCompletionsRequestDto>

const PwshCompletionMatch = dto('PwshCompletionMatch', {
  completionText: z.string(),
  listItemText: z.string().default(''),
  matchType: PwshCompletionMatchType.default(0),
  toolTip: z.string().default(''),
})

export const PwshCompletionsResponseDto = dto(
  'PwshCompletionsResponseDto',
  {
    replacementIndex: z.number().int().default(0),
    replacementLength: z.number().int().default(0),
    completionMatches: z.array(PwshCompletionMatch).max(500),
    hasMorePages: z.boolean().default(false),
    totalCount: count.default(0),
    currentPage: count.default(0),
  },
  { description: 'More than 500 matches: none of them, with their count.' },
)
export type PwshCompletionsResponseDto = z.output<typeof PwshCompletionsResponseDto>
export const PwshCompletionsResult = hubResultOf(PwshCompletionsResponseDto)
export type PwshCompletionsResult = z.output<typeof PwshCompletionsResult>
