"""The servers that can be played, a file each: their habits alone.

Each habit has the public report or page in which it was seen. Not one of these servers
was met: they are played from what others reported of them.

    groq, mistral, gemini, deepseek, azure, openai, openrouter    hosted
    vllm, lmstudio, ollama                         on machines of one's own
"""
