import { Box, NativeSelect, SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { textProps } from '../../components/field-props.ts'
import { accountQueries } from '../../api/account-queries.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { colorSchemes, useTheme } from '../../hooks/use-theme.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { dateLanguagePreference, dateLanguages } from '../../text/format.ts'
import { Section } from './section.tsx'
import { usePreferenceChange } from './use-preference-change.ts'

function Theme() {
  const [scheme, setScheme] = useTheme()
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {t.shell.theme}
      </Text>
      <SegmentedControl aria-label={t.shell.theme} data={colorSchemes} value={scheme} onChange={setScheme} />
    </div>
  )
}

/** Languages with an example each; the empty one follows the browser. */
function dateLanguageOptions(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames('en', { type: 'language' })
  const example = (language?: string) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(Date.now())
  return [
    { value: '', label: `${t.account.browserLanguage} – ${example()}` },
    ...dateLanguages.map((value) => ({ value, label: `${names.of(value)} – ${example(value)}` })),
  ]
}

function DateLanguage() {
  const { dateLanguage } = useSession()
  const change = usePreferenceChange(dateLanguagePreference)
  return (
    <Box maw={400}>
      <NativeSelect
        label={t.account.dateLanguage}
        data={dateLanguageOptions()}
        {...textProps(change.isPending ? change.variables : (dateLanguage ?? ''), change.mutate)}
      />
      {change.error && <ProblemAlert error={change.error} />}
    </Box>
  )
}

function SessionNotice() {
  const { data } = useQuery(accountQueries.effectivePreferences)
  const change = usePreferenceChange('notify-user-on-session-start')
  if (!data) {
    return null
  }
  const isEnforced = data.isNotifyUserOnSessionStartTenantEnforced
  return (
    <div>
      <Switch
        label={t.account.notifyOnStart}
        description={isEnforced ? t.account.notifyEnforced : t.account.notifyHint}
        disabled={isEnforced || change.isPending}
        checked={change.isPending ? change.variables === 'true' : data.notifyUserOnSessionStart}
        onChange={(event) => change.mutate(String(event.currentTarget.checked))}
      />
      {change.error && <ProblemAlert error={change.error} />}
    </div>
  )
}

/** Choices that follow the person to every browser: the server stores them. */
export const PreferencesSection = () => (
  <Section title={t.account.preferences} hint={t.account.preferencesHint}>
    <Stack gap={16} mt={8}>
      <Theme />
      <DateLanguage />
      <SessionNotice />
    </Stack>
  </Section>
)
