import { Stack, Text } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon: Icon
  title: string
  hint: string
  children?: ReactNode
}

/** Explains why a list is empty and offers the next step. */
export const EmptyState = ({ icon: Icon, title, hint, children }: EmptyStateProps) => (
  <Stack align="center" justify="center" gap={8} h="100%" mih={280} p="lg" ta="center">
    <Icon size={36} stroke={1.3} color="var(--text-muted)" aria-hidden />
    <h2>{title}</h2>
    <Text c="dimmed" maw={420} mb={8} style={{ textWrap: 'balance' }}>
      {hint}
    </Text>
    {children}
  </Stack>
)
