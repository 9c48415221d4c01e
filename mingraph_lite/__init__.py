"""Learn how an LLM agent loop works by building one, card by card."""
