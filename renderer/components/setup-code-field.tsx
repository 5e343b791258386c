import { TextInput, type TextInputProps } from '@mantine/core'
import { ApiError } from '../../shared/contract/client.ts'
import * as t from '../texts.ts'

/** Whether the server rejected the setup code, or asks for one. */
export const isSetupCodeProblem = (error: unknown) =>
  error instanceof ApiError && error.problem?.errors?.['setupCode'] !== undefined

interface SetupCodeFieldProps extends TextInputProps {
  value: string
  /** Error of the request, which may concern the code. */
  problem: unknown
}

/** Field for the code that an unclaimed server shows on its own computer. */
export const SetupCodeField = ({ problem, ...props }: SetupCodeFieldProps) => (
  <TextInput
    label={t.welcome.setupCode}
    description={t.welcome.setupCodeHint}
    placeholder="ABCDE-23456"
    autoComplete="off"
    autoCapitalize="characters"
    spellCheck={false}
    maxLength={40}
    error={isSetupCodeProblem(problem) && (props.value ? t.welcome.wrongSetupCode : t.welcome.missingSetupCode)}
    {...props}
  />
)
