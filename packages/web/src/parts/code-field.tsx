// A code of the authenticator app. People whose app is gone enter a recovery code.
import { useState } from 'react'
import { FieldError, Input, Label, Text, TextField } from 'react-aria-components'
import { ActionButton } from './button.tsx'

interface CodeFieldProps {
  error?: string | null
  autoFocus?: boolean
  /** A new app has no recovery codes yet. */
  hasRecovery?: boolean
}

export function CodeField({ error = null, autoFocus = false, hasRecovery = true }: CodeFieldProps) {
  const [isRecovery, setRecovery] = useState(false)
  return (
    <>
      <TextField
        key={String(isRecovery)}
        name="code"
        className="field"
        isRequired
        isInvalid={error !== null}
        validationBehavior="aria"
        autoComplete={isRecovery ? 'off' : 'one-time-code'}
        autoFocus={autoFocus || isRecovery}
      >
        <Label>{isRecovery ? 'Recovery code' : 'Code'}</Label>
        <Input
          className="mono"
          inputMode={isRecovery ? 'text' : 'numeric'}
          maxLength={40}
          spellCheck={false}
          autoCapitalize="none"
        />
        <Text slot="description" className="hint">
          {isRecovery
            ? 'One of the codes that you kept when you added the app. Each works once.'
            : 'The six digits that your authenticator app shows.'}
        </Text>
        <FieldError className="field-error">{error}</FieldError>
      </TextField>
      {hasRecovery && (
        <ActionButton look="quiet" onPress={() => setRecovery(!isRecovery)}>
          {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
        </ActionButton>
      )}
    </>
  )
}
