print("sediment")
